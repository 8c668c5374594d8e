# All that the workbook needs, on Ubuntu 26.04. The tree itself is mounted: docker run -v "$PWD":/workbook …
FROM ubuntu:26.04
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      ca-certificates git make g++ gdb cmake ninja-build python3 python3-venv python3-pip \
      libfmt-dev libasmjit-dev libcli11-dev nlohmann-json3-dev catch2 libbenchmark-dev libz3-dev libseccomp-dev bubblewrap openmpi-bin libopenmpi-dev \
      python3-matplotlib python3-markdown python3-pygments doxygen doxygen-awesome-css graphviz \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /workbook
CMD ["make", "help"]
