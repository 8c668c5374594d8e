// Compiles only the headers that the tests share (tests/CMakeLists.txt).
