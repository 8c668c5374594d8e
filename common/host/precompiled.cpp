// Compiles only the headers that programs with a command line share (CMakeLists.txt).
