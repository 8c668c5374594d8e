# add_chapter(): see chapters/CMakeLists.txt
