#!/usr/bin/env python3
"""The slow path first or last makes no difference to CUDA 13.0's machine code: test_slow_path.py NVCC.

Exits with 77 if NVCC is from another toolkit.
"""

import pathlib
import re
import struct
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "examples" / "slow_path" / "slow_path.cu"


def machine_code(cubin):
    """Returns the bytes of each kernel's instructions, by the name of its section."""
    data = cubin.read_bytes()
    (offset,) = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    sections = [struct.unpack_from("<II16xQQ", data, offset + k * size) for k in range(count)]
    texts = {}
    for name, _, begin, length in sections:
        at = sections[names][2] + name
        title = data[at : data.index(b"\0", at)].decode()
        if title.startswith(".text."):
            texts[title] = data[begin : begin + length]
    return texts


def main(nvcc):
    version = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    if not re.search(r"release 13\.0", version):
        print("The lesson's sentence is about CUDA 13.0.")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for architecture in ("sm_75", "sm_80", "sm_90"):
            cubin = pathlib.Path(folder) / f"{architecture}.cubin"
            subprocess.run([nvcc, "-cubin", "-O3", f"-arch={architecture}", "-o", cubin, SOURCE], check=True)
            texts = machine_code(cubin)
            if len(texts) != 2 or not all(len(text) > 256 for text in texts.values()):
                print(
                    f"{architecture}: expected two kernels, found {[(name, len(text)) for name, text in texts.items()]}"
                )
                return 1
            if len(set(texts.values())) != 1:
                print(f"{architecture}: the two kernels differ")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
