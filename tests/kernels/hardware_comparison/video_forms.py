#!/usr/bin/env python3
"""Video instructions on the emulator and on a GPU, form by form, each for 256 triples of words.

    video_forms.py --source FILE.cu               writes the program: nvcc -arch=native FILE.cu; a.out > PRINTED
    video_forms.py --record PRINTED JSON WORDS…   makes the record of what a GPU printed; WORDS say which GPU it was
    video_forms.py EMULATE JSON                   compares the emulator with the record

Forms that the emulator refuses, because GPUs differ there from the PTX manual, are in the record and not compared.
"""

from __future__ import annotations

import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

import records_of_forms

SIGNS = ("s32", "u32")
TYPES = tuple(".".join(three) for three in itertools.product(SIGNS, repeat=3))
PER_KERNEL = 60
LEAST_COMPARED = 620


def forms_on_one_part() -> list[str]:
    forms = []
    for name, types, sat in itertools.product(("vadd", "vsub", "vabsdiff", "vmin", "vmax"), TYPES, ("", ".sat")):
        forms += [f"{name}.{types}{sat} %0, %1, %2;", f"{name}.{types}{sat} %0, %1.h1, %2.b3;"]
        forms += [f"{name}.{types}{sat}.{then} %0, %1, %2, %3;" for then in ("add", "min", "max")]
        forms += [f"{name}.{types}{sat} %0.b2, %1.b3, %2.b1, %3;", f"{name}.{types}{sat} %0.h1, %1, %2.h0, %3;"]
    for name, d, a, sat, mode in itertools.product(("vshl", "vshr"), SIGNS, SIGNS, ("", ".sat"), ("wrap", "clamp")):
        start = f"{name}.{d}.{a}.u32{sat}.{mode}"
        forms += [f"{start} %0, %1, %2;", f"{start} %0, %1, %2.b0;"]
        forms += [f"{start} %0.h0, %1, %2.b0, %3;", f"{start}.add %0, %1, %2.b0, %3;"]
    for a, b, how in itertools.product(SIGNS, SIGNS, ("eq", "lt", "ge")):
        start = f"vset.{a}.{b}.{how}"
        forms += [f"{start} %0, %1, %2;", f"{start}.add %0, %1, %2, %3;"]
        forms += [f"{start}.max %0, %1.h1, %2.b0, %3;", f"{start} %0.b1, %1, %2, %3;"]
    for types, sat, scale, po in itertools.product(TYPES, ("", ".sat"), ("", ".shr7", ".shr15"), ("", ".po")):
        for parts in ("%1, %2", "%1.h1, %2.h0", "%1.b0, %2.b3"):
            forms.append(f"vmad.{types}{po}{sat}{scale} %0, {parts}, %3;")
    return forms


def forms_on_several_parts() -> list[str]:
    forms = []
    for n in (2, 4):
        for name, types in itertools.product(("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"), TYPES):
            forms += [f"{name}{n}.{types}{end} %0, %1, %2, %3;" for end in ("", ".sat", ".add")]
        for a, b, how in itertools.product(SIGNS, SIGNS, ("eq", "lt", "ge")):
            forms += [f"vset{n}.{a}.{b}.{how}{end} %0, %1, %2, %3;" for end in ("", ".add")]
    return forms


def is_refused(form: str) -> bool:
    """Returns true if the emulator refuses the form, by the same rules as common/emulator/simt/video.cpp."""
    words = form.split(" ", 1)
    name, *modifiers = words[0].split(".")
    if name[-1] in "24":
        return False
    return bool({"sat", "min", "max", "shr7", "shr15"} & set(modifiers)) or words[1].startswith("%0.h")


def source(forms: list[str]) -> str:
    text = "#include <cstdio>\n\n"
    kernels = range((len(forms) + PER_KERNEL - 1) // PER_KERNEL)
    for kernel in kernels:
        text += (
            f"__global__ void part{kernel}(const unsigned* in, unsigned* out, int n) {{\n  int i = threadIdx.x;\n"
            "  unsigned a = in[i], b = in[(i + 7) % n], c = in[(i * 5 + 11) % n], d;\n"
        )
        for k, form in enumerate(forms[kernel * PER_KERNEL : (kernel + 1) * PER_KERNEL], kernel * PER_KERNEL):
            text += f'  asm volatile("{form}" : "=r"(d) : "r"(a), "r"(b), "r"(c));\n  out[{k} * n + i] = d;\n'
        text += "}\n"
    text += "const char* const forms[] = {\n" + "".join(f'    "{form}",\n' for form in forms) + "};\n"
    text += """
int main() {
  const int n = 256, count = sizeof forms / sizeof *forms;
  unsigned *in, *out;
  cudaMallocManaged(&in, n * sizeof(unsigned));
  cudaMallocManaged(&out, sizeof(unsigned) * n * count);
  const unsigned edges[] = {0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000u, 0xffffffffu,
                            0x80008000u, 0x7fff7fffu, 31, 32, 33, 64, 0x80ff7f00u, 0x00ff00ffu};
  unsigned x = 12345;
  for (int i = 0; i < n; ++i) {
    x = x * 1664525u + 1013904223u;
    in[i] = i % 3 == 0 ? edges[i / 3 % 20] : x ^ x >> 13;
  }
"""
    text += "".join(f"  part{kernel}<<<1, n>>>(in, out, n);\n" for kernel in kernels)
    return (
        text
        + """  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int k = 0; k < count; ++k) {
    unsigned sum = 2166136261u;
    for (int i = 0; i < n; ++i) sum = (sum ^ out[k * n + i]) * 16777619u;
    std::printf("%08x %s\\n", sum, forms[k]);
  }
  cudaFree(in);
  cudaFree(out);
}
"""
    )


def sums(printed: str) -> dict[str, str]:
    """Returns the checksum of each form."""
    return {line[9:]: line[:8] for line in printed.splitlines() if re.match(r"[0-9a-f]{8} v", line)}


def compare(emulate: str, recorded: dict[str, str]) -> int:
    wanted = {form: recorded[form] for form in forms_on_one_part() + forms_on_several_parts()}
    compared = [form for form in wanted if not is_refused(form)]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "forms.cu"
        file.write_text(source(compared), encoding="utf-8")
        done = subprocess.run([emulate, "--quiet", str(file)], capture_output=True, text=True, check=False)
    found = sums(done.stdout)
    wrong = [form for form in compared if found.get(form) != wanted[form]]
    for form in wrong:
        print(f"{form} gives {found.get(form)}, and {wanted[form]} on a GPU")
    print(f"{len(compared)} forms compared, {len(wrong)} differ; {len(wanted) - len(compared)} are refused")
    if done.returncode != 0:
        print(done.stderr[-2000:])
    return 1 if wrong or done.returncode != 0 or len(compared) < LEAST_COMPARED else 0


if __name__ == "__main__":
    sys.exit(
        records_of_forms.run(
            sys.argv[1:], __doc__, lambda: source(forms_on_one_part() + forms_on_several_parts()), sums, "sums", compare
        )
    )
