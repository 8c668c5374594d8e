#!/usr/bin/env python3
"""Checks that every header of common includes the standard header of each standard name in it: standard_includes.py
TREE.

A name that is available only because another header includes its header may be missing with the next compiler. Prints a
line for each violation, with the file, what is wrong, and how to fix it. Exits with 1 if there is any. With --often,
prints the standard headers that more than one header in twenty includes. The test "every header of common compiles
alone" precompiles these (tests/house/CMakeLists.txt).
"""

import collections
import pathlib
import re
import sys

# If several headers declare a name, the first one in this list has to be included.
NAMES = {
    "algorithm": "all_of any_of binary_search clamp copy copy_backward copy_n count_if equal fill fill_n find find_if"
    " lower_bound max max_element min min_element none_of partition remove_if reverse sort stable_sort transform unique"
    " upper_bound",
    "array": "array to_array",
    "atomic": "atomic atomic_ref memory_order memory_order_acquire memory_order_relaxed memory_order_release",
    "bit": "bit_cast bit_ceil bit_floor bit_width countl_zero countr_zero has_single_bit popcount rotl rotr",
    "cctype": "isalnum",
    "cfenv": "fegetround fesetround",
    "charconv": "from_chars from_chars_result to_chars",
    "chrono": "chrono",
    "cmath": "ceil copysign exp fabs floor fma isfinite isinf isnan ldexp log log2 nearbyint pow signbit sqrt trunc",
    "concepts": "convertible_to copyable floating_point integral invocable same_as",
    "condition_variable": "condition_variable",
    "cstddef": "byte max_align_t nullptr_t ptrdiff_t size_t",
    "cstdint": "int8_t int16_t int32_t int64_t intptr_t uint8_t uint16_t uint32_t uint64_t uintmax_t uintptr_t",
    "cstdio": "FILE fprintf",
    "cstdlib": "abort free getenv malloc strtod",
    "cstring": "memcmp memcpy memmove memset strcmp strlen",
    "ctime": "clock",
    "deque": "deque",
    "exception": "current_exception exception exception_ptr rethrow_exception",
    "filesystem": "filesystem",
    "fstream": "ifstream ofstream",
    "functional": "function greater hash less",
    "initializer_list": "initializer_list",
    "iostream": "cerr cin clog cout",
    "iterator": "back_inserter begin distance end istreambuf_iterator next prev",
    "limits": "numeric_limits",
    "list": "list",
    "map": "erase_if map multimap",
    "memory": "allocator_traits enable_shared_from_this make_shared make_unique shared_ptr unique_ptr weak_ptr",
    "mutex": "call_once lock_guard mutex once_flag recursive_mutex scoped_lock unique_lock",
    "new": "align_val_t bad_alloc launder",
    "numeric": "accumulate gcd iota lcm",
    "optional": "nullopt nullopt_t optional",
    "ostream": "ostream",
    "queue": "priority_queue queue",
    "random": "mt19937 mt19937_64 uniform_int_distribution",
    "regex": "regex",
    "set": "multiset set",
    "shared_mutex": "shared_lock shared_mutex",
    "source_location": "source_location",
    "span": "as_bytes span",
    "sstream": "istringstream ostringstream stringstream",
    "stdexcept": "domain_error invalid_argument length_error logic_error out_of_range overflow_error range_error"
    " runtime_error",
    "string": "stoi stoul stoull string to_string",
    "string_view": "string_view",
    "system_error": "error_code error_condition generic_category system_error",
    "thread": "jthread thread",
    "tuple": "apply get make_tuple tie tuple",
    "type_traits": "conditional_t decay_t enable_if_t false_type invoke_result_t is_enum_v is_floating_point_v"
    " is_integral_v is_pointer_v is_same_v is_signed_v is_trivially_copyable_v is_unsigned_v make_unsigned_t"
    " remove_cv_t remove_cvref_t remove_pointer_t true_type type_identity_t",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "utility": "declval exchange forward index_sequence make_index_sequence make_pair move pair swap to_underlying",
    "variant": "get_if holds_alternative monostate variant visit",
    "vector": "vector",
}
HEADER_OF = {name: header for header, names in NAMES.items() for name in names.split()}
# Headers that are documented to declare the names of another header, too. If a name is only declared, a forward
# declaration is enough. Each container's header declares its own std::erase_if, and HEADER_OF knows only one of them.
AS_GOOD = {
    "iterator": {"array", "map", "span", "string", "string_view", "vector"},
    "ostream": {"iosfwd", "iostream", "sstream", "fstream"},
}
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.DOTALL)


def missing(text):
    """Returns what a header lacks: (standard header, names that need it). For unknown names, the standard header is
    ""."""
    included = set(re.findall(r"^#include <([\w.]+)>", text, re.MULTILINE))
    wanted: dict[str, set[str]] = {}
    for name in re.findall(r"\bstd::(\w+)", NO_CODE.sub(" ", text)):
        header = HEADER_OF.get(name, "")
        as_good = {"vector", "string"} if name == "erase_if" else AS_GOOD.get(header, set())
        if not ({header} | as_good) & included:
            wanted.setdefault(header, set()).add(name)
    return sorted(wanted.items())


def main():
    tree = pathlib.Path(sys.argv[-1])
    headers = sorted((tree / "common").rglob("*.hpp"))
    assert len(headers) > 100, "these are not the workbook's headers"
    if sys.argv[1] == "--often":
        often = collections.Counter(
            name for path in headers for name in NAMES if f"#include <{name}>" in path.read_text(encoding="utf-8")
        )
        print("\n".join(name for name in NAMES if often[name] * 20 > len(headers)))
        return 0
    found = [(path, *one) for path in headers for one in missing(path.read_text(encoding="utf-8"))]
    for path, header, names in found:
        said = ", ".join(f"std::{name}" for name in sorted(names))
        fix = f"add #include <{header}>" if header else f"add it to a header in {pathlib.Path(__file__).name}"
        print(f"{path.relative_to(tree)}: {said}: {fix}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
