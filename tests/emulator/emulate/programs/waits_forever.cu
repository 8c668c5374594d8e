// Prints its process number and, unless it has an argument, never ends by itself.
#include <cstdio>

#include <unistd.h>

int main(int argc, char**) {
  std::printf("%d\n", static_cast<int>(getpid()));
  std::fflush(stdout);
  while (argc < 2) sleep(1);
}
