// Says its process number and never ends by itself, unless it has an argument.
#include <cstdio>

#include <unistd.h>

int main(int argc, char**) {
  std::printf("%d\n", static_cast<int>(getpid()));
  std::fflush(stdout);
  while (argc < 2) sleep(1);
}
