// Nothing but the headers that programs with a command line share is compiled here (CMakeLists.txt).
