// Nothing but the headers that the tests share is compiled here (tests/CMakeLists.txt).
