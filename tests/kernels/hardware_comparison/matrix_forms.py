#!/usr/bin/env python3
"""Tensor-core instructions on the emulator and on a GPU, form by form, each for several kinds of operands, bit for bit.

    matrix_forms.py --source FILE.cu               writes the program: nvcc -arch=native FILE.cu; a.out > PRINTED
    matrix_forms.py --record PRINTED JSON WORDS…   makes the record of what a GPU printed; WORDS say which GPU it was
    matrix_forms.py EMULATE JSON                   compares the emulator with the record

With an argument the program prints the results themselves, too.
"""

# Long because the functions of the generated program are next to the functions that generate its kernels.
from __future__ import annotations

import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

import records_of_forms

# Kinds of operands, in this order: integers that every type represents exactly, numbers around 1, numbers of very
# different sizes, powers of two that cancel, numbers with the smallest and with the largest exponents, many zeros, sums
# below the smallest number, powers of two near it, and arbitrary bits.
KINDS = ("integers", "ones", "wide", "powers", "tiny", "huge", "zeros", "vanishing", "edges", "mixed")
LEAST_COMPARED = 380
SHAPES = ("m16n16k16", "m32n8k16", "m8n32k16")
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "s8": 8, "u8": 8, "s32": 32}
# For wmma: registers of a and b by type and shape.
AB = {
    "f16": dict.fromkeys(SHAPES, (8, 8)),
    "bf16": {"m16n16k16": (4, 4), "m32n8k16": (8, 2), "m8n32k16": (2, 8)},
    "s8": {"m16n16k16": (2, 2), "m32n8k16": (4, 1), "m8n32k16": (1, 4)},
    "u8": {"m16n16k16": (2, 2), "m32n8k16": (4, 1), "m8n32k16": (1, 4)},
    "tf32": {"m16n16k8": (4, 4)},
    "f64": {"m8n8k4": (1, 1)},
}
ACCUMULATORS = {
    "f16": ("f16", "f32"),
    "bf16": ("f32",),
    "s8": ("s32",),
    "u8": ("s32",),
    "tf32": ("f32",),
    "f64": ("f64",),
}
C = {"f16": 4, "f32": 8, "s32": 8, "f64": 2}
LETTER = {"f32": "f", "f64": "d"}
DECLARED = {"f32": "float", "f64": "double"}


def dims(shape: str) -> tuple[int, int, int]:
    found = re.fullmatch(r"m(\d+)n(\d+)k(\d+)", shape)
    assert found, shape
    m, n, k = found.groups()
    return int(m), int(n), int(k)


def mma_forms() -> list[tuple[str, str, str, int, int, int]]:
    """Returns (instruction, type of a and b, type of c and d, registers of a, b and c) of each form."""
    forms = []
    for d in ("f16", "f32"):
        forms.append((f"m16n8k8.row.col.{d}.f16.f16.{d}", "f16", d, 2, 1, 2 if d == "f16" else 4))
        forms.append((f"m16n8k16.row.col.{d}.f16.f16.{d}", "f16", d, 4, 2, 2 if d == "f16" else 4))
    forms.append(("m16n8k8.row.col.f32.bf16.bf16.f32", "bf16", "f32", 2, 1, 4))
    forms.append(("m16n8k16.row.col.f32.bf16.bf16.f32", "bf16", "f32", 4, 2, 4))
    forms.append(("m16n8k4.row.col.f32.tf32.tf32.f32", "tf32", "f32", 2, 1, 4))
    forms.append(("m16n8k8.row.col.f32.tf32.tf32.f32", "tf32", "f32", 4, 2, 4))
    forms.append(("m8n8k4.row.col.f64.f64.f64.f64", "f64", "f64", 1, 1, 2))
    for mode in ("rz", "rm", "rp"):
        forms.append((f"m16n8k8.row.col.f64.f64.f64.f64.{mode}", "f64", "f64", 4, 2, 4))
    for k in (4, 8, 16):
        forms.append((f"m16n8k{k}.row.col.f64.f64.f64.f64", "f64", "f64", k // 2, k // 4, 4))
    for (shape, counts), a, b, sat in itertools.product(
        (("m8n8k16", (1, 1, 2)), ("m16n8k16", (2, 1, 4)), ("m16n8k32", (4, 2, 4))),
        ("s8", "u8"),
        ("s8", "u8"),
        ("", ".satfinite"),
    ):
        forms.append((f"{shape}.row.col{sat}.s32.{a}.{b}.s32", a, "s32", *counts))
    return [("mma.sync.aligned." + f[0], *f[1:]) for f in forms]


def wmma_forms() -> list[dict]:
    forms = []
    for t, shapes in AB.items():
        for shape, la, lb, acc, d in itertools.product(
            shapes, ("row", "col"), ("row", "col"), ACCUMULATORS[t], ACCUMULATORS[t]
        ):
            types = f"{d}.{acc}" if t == "f16" else f"{d}.{t}.{t}.{acc}"
            for end in {"s32": ("", ".satfinite"), "f64": (".rn", ".rz", ".rm", ".rp")}.get(acc, ("",)):
                name = f"wmma.mma.sync.aligned.{la}.{lb}.{shape}.{types}{end}"
                forms.append({"name": name, "type": t, "shape": shape, "la": la, "lb": lb, "c": acc, "d": d})
    return forms


def list_of(first: int, count: int) -> str:
    return "{" + ", ".join(f"%{k}" for k in range(first, first + count)) + "}"


def declared(t: str) -> str:
    return DECLARED.get(t, "unsigned")


def letter(t: str) -> str:
    return LETTER.get(t, "r")


def read(t: str, words: str, k: int) -> str:
    """Returns the expression for register k of a lane, made from the lane's words."""
    if t == "f64":
        return f"__longlong_as_double((long long)((const unsigned long long*)({words}))[{k}])"
    return f"__uint_as_float(({words})[{k}])" if t == "f32" else f"({words})[{k}]"


def write(t: str, words: str, k: int, name: str) -> str:
    if t == "f64":
        return f"((unsigned long long*)({words}))[{k}] = (unsigned long long)__double_as_longlong({name});"
    return f"({words})[{k}] = " + (f"__float_as_uint({name});" if t == "f32" else f"{name};")


def words_of(t: str, registers: int) -> int:
    return registers * (2 if t == "f64" else 1)


def mma_kernel(number: int, form) -> str:
    name, t, c, na, nb, nc = form
    wa, wb, wc = words_of(t, na), words_of(t, nb), words_of(c, nc)
    text = f"__global__ void form{number}(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* d) {{\n"
    text += f"  a += threadIdx.x * {wa}; b += threadIdx.x * {wb}; c += threadIdx.x * {wc}; d += threadIdx.x * {wc};\n"
    text += "  " + declared(c) + " " + ", ".join(f"d{k}" for k in range(nc)) + ";\n"
    order = list_of(0, nc), list_of(nc, na), list_of(nc + na, nb), list_of(nc + na + nb, nc)
    text += f'  asm volatile("{name} {", ".join(order)};"\n    : '
    text += ", ".join(f'"={letter(c)}"(d{k})' for k in range(nc)) + "\n    : "
    inputs = [f'"{letter(t)}"({read(t, "a", k)})' for k in range(na)]
    inputs += [f'"{letter(t)}"({read(t, "b", k)})' for k in range(nb)]
    inputs += [f'"{letter(c)}"({read(c, "c", k)})' for k in range(nc)]
    text += ", ".join(inputs) + ");\n  "
    return text + " ".join(write(c, "d", k, f"d{k}") for k in range(nc)) + "\n}\n"


def load(
    variable: str, what: str, layout: str, shape: str, space: str, t: str, count: int, pointer: str, stride: int
) -> str:
    """Returns statements that load a fragment into `variable`0, `variable`1, …"""
    text = f"  {declared(t)} " + ", ".join(f"{variable}{k}" for k in range(count)) + ";\n"
    text += f'  asm volatile("wmma.load.{what}.sync.aligned.{layout}.{shape}{space}.{t} {list_of(0, count)}, '
    text += f'[%{count}], %{count + 1};" : ' + ", ".join(f'"={letter(t)}"({variable}{k})' for k in range(count))
    return text + f' : "l"({pointer}), "r"({stride}) : "memory");\n'


def wmma_kernel(number: int, form: dict) -> str:
    t, shape, c, d = form["type"], form["shape"], form["c"], form["d"]
    m, n, k = dims(shape)
    na, nb = AB[t][shape]
    text = f"__global__ void form{number}(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* d) {{\n"
    text += load("a", "a", form["la"], shape, "", t, na, "a", k if form["la"] == "row" else m)
    text += load("b", "b", form["lb"], shape, "", t, nb, "b", n if form["lb"] == "row" else k)
    text += load("c", "c", "row", shape, "", c, C[c], "c", n)
    nc, nd = C[c], C[d]
    text += f"  {declared(d)} " + ", ".join(f"d{k}" for k in range(nd)) + ";\n"
    lists = list_of(0, nd), list_of(nd, na), list_of(nd + na, nb), list_of(nd + na + nb, nc)
    text += f'  asm volatile("{form["name"]} {", ".join(lists)};"\n    : '
    text += ", ".join(f'"={letter(d)}"(d{k})' for k in range(nd)) + "\n    : "
    inputs = [f'"{letter(t)}"(a{k})' for k in range(na)] + [f'"{letter(t)}"(b{k})' for k in range(nb)]
    text += ", ".join(inputs + [f'"{letter(c)}"(c{k})' for k in range(nc)]) + ");\n"
    return text + store(shape, "row", "", d, "d", "d", n) + "}\n"


def store(shape: str, layout: str, space: str, t: str, variable: str, pointer: str, stride: int) -> str:
    values = ", ".join(f'"{letter(t)}"({variable}{k})' for k in range(C[t]))
    return (
        f'  asm volatile("wmma.store.d.sync.aligned.{layout}.{shape}{space}.{t} [%{C[t]}], {list_of(0, C[t])}, '
        f'%{C[t] + 1};" :: {values}, "l"({pointer}), "r"({stride}) : "memory");\n'
    )


def rows_and_columns(what: str, shape: str) -> tuple[int, int]:
    m, n, k = dims(shape)
    return {"a": (m, k), "b": (k, n)}.get(what, (m, n))


def load_forms() -> list[dict]:
    """Returns the loads of fragments, whose registers are printed, and the stores of registers."""
    forms = []
    for t, shapes in AB.items():
        for shape, what, layout in itertools.product(shapes, "ab", ("row", "col")):
            count = shapes[shape]["ab".index(what)]
            forms.append({"what": what, "type": t, "shape": shape, "layout": layout, "count": count})
    of_sums = (("f16", SHAPES), ("f32", (*SHAPES, "m16n16k8")), ("s32", SHAPES), ("f64", ("m8n8k4",)))
    for t, of_type in of_sums:
        for shape, what, layout in itertools.product(of_type, "cd", ("row", "col")):
            forms.append({"what": what, "type": t, "shape": shape, "layout": layout, "count": C[t]})
    spaces = (".global", ".shared")
    result = []
    for form in forms:
        for space in spaces:
            verb = "store" if form["what"] == "d" else "load"
            name = f"wmma.{verb}.{form['what']}.sync.aligned.{form['layout']}.{form['shape']}{space}.{form['type']}"
            result.append({**form, "space": space, "name": name})
    return result


def stride_of(form: dict) -> int:
    """Returns a stride that is longer than the rows, with the required alignment."""
    rows, columns = rows_and_columns(form["what"], form["shape"])
    return (columns if form["layout"] == "row" else rows) + 128 // BITS[form["type"]]


def memory_words(form: dict) -> int:
    rows, columns = rows_and_columns(form["what"], form["shape"])
    lines = rows if form["layout"] == "row" else columns
    return lines * stride_of(form) * BITS[form["type"]] // 32


def load_kernel(number: int, form: dict) -> str:
    t, count, space = form["type"], form["count"], form["space"]
    words, own = memory_words(form), words_of(t, count)
    text = f"__global__ void form{number}(const unsigned* a, const unsigned*, const unsigned*, unsigned* d) {{\n"
    pointer = "a" if form["what"] != "d" else "d"
    if space == ".shared":
        text += f"  __shared__ __align__(32) unsigned tile[{words}];\n"
        source = "a[k]" if form["what"] != "d" else "0x01020304u"
        text += f"  for (int k = threadIdx.x; k < {words}; k += 32) tile[k] = {source};\n  __syncwarp();\n"
        pointer = "__cvta_generic_to_shared(tile)"
    elif space == ".global":
        pointer = f"__cvta_generic_to_global({pointer})"
    if form["what"] == "d":
        text += f"  const unsigned* own = a + threadIdx.x * {own};\n"
        text += "".join(f"  {declared(t)} v{k} = {read(t, 'own', k)};\n" for k in range(count))
        text += store(form["shape"], form["layout"], space, t, "v", pointer, stride_of(form))
        if space == ".shared":
            text += f"  __syncwarp();\n  for (int k = threadIdx.x; k < {words}; k += 32) d[k] = tile[k];\n"
        return text + "}\n"
    text += load("v", form["what"], form["layout"], form["shape"], space, t, count, pointer, stride_of(form))
    text += f"  unsigned* own = d + threadIdx.x * {own};\n"
    return text + "".join(f"  {write(t, 'own', k, f'v{k}')}\n" for k in range(count)) + "}\n"


def move_forms() -> list[dict]:
    forms = []
    for verb, x, trans in itertools.product(("ldmatrix", "stmatrix"), (1, 2, 4), ("", ".trans")):
        forms.append({"name": f"{verb}.sync.aligned.m8n8.x{x}{trans}.shared.b16", "verb": verb, "count": x})
    for mode in ("rna", "rn", "rz", "rn.relu", "rz.relu"):
        forms.append({"name": f"cvt.{mode}.tf32.f32", "verb": "cvt", "count": 1})
    forms.append({"name": "movmatrix.sync.aligned.m8n8.trans.b16", "verb": "movmatrix", "count": 1})
    return forms


def move_kernel(number: int, form: dict) -> str:
    n, verb = form["count"], form["verb"]
    text = f"__global__ void form{number}(const unsigned* a, const unsigned*, const unsigned*, unsigned* d) {{\n"
    if verb == "cvt":
        text += f'  asm volatile("{form["name"]} %0, %1;" : "=r"(d[threadIdx.x]) '
        text += ': "f"(__uint_as_float(a[threadIdx.x])));\n'
        return text + "}\n"
    if verb == "movmatrix":
        text += f'  asm volatile("{form["name"]} %0, %1;" : "=r"(d[threadIdx.x]) : "r"(a[threadIdx.x]));\n'
        return text + "}\n"
    text += "  __shared__ __align__(16) unsigned tile[256];\n  for (int k = threadIdx.x; k < 256; k += 32) "
    text += f"tile[k] = {'a[k]' if verb == 'ldmatrix' else '7u'};\n  __syncwarp();\n"
    text += "  unsigned row = (unsigned)__cvta_generic_to_shared(tile + (threadIdx.x * 5 + 3) % 32 * 8);\n"
    if verb == "ldmatrix":
        text += "  unsigned " + ", ".join(f"v{k}" for k in range(n)) + ";\n"
        text += f'  asm volatile("{form["name"]} {list_of(0, n)}, [%{n}];" : '
        text += ", ".join(f'"=r"(v{k})' for k in range(n)) + ' : "r"(row) : "memory");\n'
        return text + "".join(f"  d[threadIdx.x * {n} + {k}] = v{k};\n" for k in range(n)) + "}\n"
    text += f'  asm volatile("{form["name"]} [%0], {list_of(1, n)};" :: "r"(row), '
    text += ", ".join(f'"r"(a[threadIdx.x * {n} + {k}])' for k in range(n)) + ' : "memory");\n  __syncwarp();\n'
    return text + "  for (int k = threadIdx.x; k < 256; k += 32) d[k] = tile[k];\n}\n"


HOST = """
enum kind { integers, ones, wide, powers, tiny, huge, zeros, vanishing, edges, mixed, kinds };
const char* const kind_names[] = {"integers", "ones", "wide", "powers", "tiny", "huge", "zeros", "vanishing",
                                  "edges", "mixed"};
struct format { int bits, exponent_bits, fraction_bits; };  // no exponent: an integer

unsigned long long state;
unsigned long long next() {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (state >> 33) ^ state << 7 ^ state >> 59;
}

unsigned long long element(format f, kind k, bool sums) {
  const unsigned long long r = next(), s = next();
  if (f.exponent_bits == 0) {
    const bool any = k == mixed || k == huge || k == wide;
    const long long value = k == integers ? (long long)(r % 17) - 8 : any ? (long long)r : (long long)(r % 3) - 1;
    if (sums && k == huge) return 0x7fffffff - r % 4096;
    if (sums && k == wide) return 0x80000000u + r % 4096;
    if (k == huge) return 0x7f - r % 2;
    return (unsigned long long)value & (f.bits == 32 ? 0xffffffffull : 0xffull);
  }
  const int bias = (1 << (f.exponent_bits - 1)) - 1, top = 2 * bias + 1;
  const int low = f.bits - 1 - f.exponent_bits - f.fraction_bits;
  const unsigned long long sign = r >> 5 & 1, mask = (1ull << f.fraction_bits) - 1;
  unsigned long long fraction = s & mask;
  int exponent = bias;
  const int reach = f.exponent_bits == 5 ? 12 : 24, draw = (int)(r >> 8 & 0xffff);
  switch (k) {
    case integers: {
      const int n = draw % 8 + 1, e = n >= 8 ? 3 : n >= 4 ? 2 : n >= 2 ? 1 : 0;
      exponent = bias + e;
      fraction = (unsigned long long)(n - (1 << e)) << (f.fraction_bits - e);
      break;
    }
    case ones: exponent = bias - draw % 4; break;
    case wide: exponent = bias - reach + draw % (2 * reach + 1); break;
    case powers: exponent = bias - 13 + draw % 27; fraction &= mask ^ mask >> 1; if (draw % 3) fraction = 0; break;
    case tiny: {
      const int middle = f.exponent_bits == 5 ? 0 : f.exponent_bits == 8 ? (sums ? 8 : 66) : (sums ? 8 : 514);
      exponent = middle - 6 + draw % 14;
      if (exponent < 0) exponent = 0;
      break;
    }
    case huge: {
      const int middle = f.exponent_bits == 5 ? top - 4 : sums ? top - 6 : bias + bias / 2 - 1;
      exponent = middle + draw % 4;
      if (f.exponent_bits == 5 && !sums && f.fraction_bits == 10 && draw % 2) exponent = bias + 3;
      break;
    }
    case zeros:  // products that are zero, and have large factors, beside small ones
      exponent = bias - (f.exponent_bits == 5 ? 13 : 62) + draw / 16 % 4;
      if (draw % 12 == 0) exponent = bias + (f.exponent_bits == 5 ? 12 : 60);
      if (draw % 2) exponent = 0, fraction = 0;
      break;
    case vanishing:  // sums below the smallest number
      exponent = draw % 8 + (f.exponent_bits == 5 ? 0 : f.exponent_bits == 8 ? bias - 78 : bias - 541);
      if (sums) exponent = 0, fraction = s % 3;
      break;
    case edges:
      exponent = f.exponent_bits == 5 ? draw % 14 : (f.exponent_bits == 8 ? bias - 67 : bias - 530) - draw % 16;
      fraction = 0;
      if (sums) exponent = 0, fraction = s % 3;
      break;
    default:
      exponent = draw % 11 == 0 ? top : draw % 5 == 0 ? 0 : bias - reach + draw % (2 * reach + 1);
      if (draw % 13 == 0) fraction = 0;
      break;
  }
  if (exponent >= top && k != mixed) exponent = top - 1;
  unsigned long long value = (sign << f.exponent_bits | (unsigned long long)exponent) << f.fraction_bits | fraction;
  if (low > 0) value = value << low | (s >> 40 & ((1ull << low) - 1));  // bits that tf32 does not have
  return value;
}

void fill(unsigned* words, int count, format f, kind k, bool sums) {
  unsigned char* bytes = (unsigned char*)words;
  for (int at = 0; at < count * 4; at += f.bits / 8) {
    const unsigned long long value = element(f, k, sums);
    for (int b = 0; b < f.bits / 8; ++b) bytes[at + b] = (unsigned char)(value >> 8 * b);
  }
}

void (*const kernels[])(const unsigned*, const unsigned*, const unsigned*, unsigned*) = {KERNELS};
struct form { const char* name; format a, c; int out; int kinds; };
const form forms[] = {
FORMS};

int main(int argc, char** argv) {
  const bool all_words = argc > 1;
  const int most = 4096;
  unsigned* memory;
  if (cudaMallocManaged(&memory, 4 * most * sizeof(unsigned)) != cudaSuccess) return 1;
  unsigned *a = memory, *b = a + most, *c = b + most, *d = c + most;
  for (int f = 0; f < (int)(sizeof forms / sizeof *forms); ++f)
    for (int k = 0; k < forms[f].kinds; ++k) {
      const form& of = forms[f];
      unsigned sum = 2166136261u;
      for (int round = 0; round < (of.kinds > 1 ? ROUNDS : 1); ++round) {
        state = 1000 * k + round + 77;
        const kind what = of.kinds > 1 ? (kind)k : mixed;
        fill(a, of.kinds > 1 ? 512 : most, of.a, what, false);
        fill(b, 512, of.a, what, false);
        fill(c, 512, of.c, what, true);
        for (int w = 0; w < most; ++w) d[w] = 0xaaaaaaaau;
        kernels[f]<<<1, 32>>>(a, b, c, d);
        if (cudaDeviceSynchronize() != cudaSuccess) return 1;
        for (int w = 0; w < of.out; ++w) sum = (sum ^ d[w]) * 16777619u;
        if (all_words) {
          std::printf("words %s %s %d", of.name, of.kinds > 1 ? kind_names[k] : "-", round);
          for (int w = 0; w < of.out; ++w) std::printf(" %08x", d[w]);
          std::printf("\\n");
        }
      }
      std::printf("%08x %s %s\\n", sum, of.name, of.kinds > 1 ? kind_names[k] : "-");
    }
  cudaFree(memory);
}
"""
FORMATS = {
    "f16": "{16, 5, 10}",
    "bf16": "{16, 8, 7}",
    "tf32": "{32, 8, 10}",
    "f32": "{32, 8, 23}",
    "f64": "{64, 11, 52}",
    "s8": "{8, 0, 0}",
    "u8": "{8, 0, 0}",
    "s32": "{32, 0, 0}",
}


def source(accesses: list[dict] | None = None) -> str:
    """Returns the program's text. With `accesses`, from `load_forms()`, it contains only these."""
    text, rows, number = "#include <cstdio>\n\n", [], 0

    def add(kernel: str, name: str, a: str, c: str, out: int, kinds: int) -> None:
        nonlocal text, number
        text += kernel
        rows.append(f'    {{"{name}", {FORMATS[a]}, {FORMATS[c]}, {out}, {kinds}}},\n')
        number += 1

    for mma in mma_forms() if accesses is None else []:
        add(mma_kernel(number, mma), mma[0], mma[1], mma[2], 32 * words_of(mma[2], mma[5]), len(KINDS))
    for form in wmma_forms() if accesses is None else []:
        m, n, _ = dims(form["shape"])
        add(wmma_kernel(number, form), form["name"], form["type"], form["c"], m * n * BITS[form["d"]] // 32, len(KINDS))
    for form in load_forms() if accesses is None else accesses:
        out = memory_words(form) if form["what"] == "d" else 32 * words_of(form["type"], form["count"])
        add(load_kernel(number, form), form["name"], "s8", "s8", out, 1)
    for form in move_forms() if accesses is None else []:
        out = 256 if form["verb"] == "stmatrix" else 32 * form["count"]
        operands, kinds = ("f32", len(KINDS)) if form["verb"] == "cvt" else ("s8", 1)
        add(move_kernel(number, form), form["name"], operands, "s8", out, kinds)
    names = ", ".join(f"form{k}" for k in range(number))
    return text + HOST.replace("KERNELS", names).replace("FORMS", "".join(rows), 1).replace("ROUNDS", "3")


def sums(printed: str) -> dict[str, str]:
    """Returns the checksums of each form, one for each kind of operands."""
    found: dict[str, str] = {}
    for sum_, form in re.findall(r"^([0-9a-f]{8}) (\S+) \S+$", printed, re.MULTILINE):
        found[form] = f"{found[form]} {sum_}" if form in found else sum_
    return found


def compare(emulate: str, wanted: dict[str, str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "forms.cu"
        file.write_text(source(), encoding="utf-8")
        done = subprocess.run([emulate, "--quiet", str(file)], capture_output=True, text=True, check=False)
    found = sums(done.stdout)
    wrong = 0
    for form, of_gpu in wanted.items():
        ours = found.get(form, "").split()
        kinds = KINDS if " " in of_gpu else ("",)
        differ = [k for k, theirs in enumerate(of_gpu.split()) if k >= len(ours) or ours[k] != theirs]
        if differ:
            wrong += 1
            print(f"{form} differs from a GPU's: " + " ".join(kinds[k] for k in differ))
    print(f"{len(wanted)} forms compared, {wrong} differ")
    if done.returncode != 0:
        print(done.stderr[-2000:])
    return 1 if wrong or done.returncode != 0 or len(wanted) < LEAST_COMPARED else 0


if __name__ == "__main__":
    sys.exit(records_of_forms.run(sys.argv[1:], __doc__, source, sums, "sums", compare))
