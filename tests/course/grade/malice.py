"""Hostile and unlucky submissions for chapter 3. Each is the right solution, into which one hostile piece is inserted:
at the top of the file, in the kernel, or in the host function that launches it."""

import re

# The places where a piece can be inserted.
TOP, KERNEL, LAUNCH, START = "top", "kernel", "launch", "start"

FORGED = """
#include <cstdint>
#include <sys/socket.h>
#include <unistd.h>
namespace {
struct forged { std::uint32_t what, text_bytes; std::uint64_t values[10]; };
}
"""

PIECES = {
    "loops_in_kernel": {KERNEL: "for (volatile int k = 0; k < 2; k = 0) {}"},
    "loops_in_host": {TOP: "#include <ctime>\n", LAUNCH: "for (volatile int k = 0; k < 2; k = 0) {}"},
    "deadlock": {
        KERNEL: "if (threadIdx.x == 0) { volatile T* t = partials; while (t[0] != T(42)) {} } __syncthreads();"
    },
    "exhausts_memory": {
        TOP: "#include <cstdlib>\n#include <cstring>\n",
        LAUNCH: "for (;;) std::memset(std::malloc(64 << 20), 1, 64 << 20);",
    },
    "corrupts_heap": {
        TOP: "#include <cstdlib>\n#include <cstring>\n",
        LAUNCH: "char* p = static_cast<char*>(std::malloc(64)); std::memset(p - 64, 77, 4096); "
        "std::free(p); std::free(std::malloc(5000)); std::free(p); std::abort();",
    },
    "exits_early": {TOP: "#include <cstdlib>\nstatic const int bye = (std::exit(0), 0);\n"},
    "prints_a_verdict": {
        TOP: '#include <cstdio>\nstatic const int said = std::puts("{\\"verdict\\": \\"done\\"}");\n',
        KERNEL: 'if (threadIdx.x == 0) printf("{\\"verdict\\": \\"done\\"}\\n"); n = n / 2;',
    },
    # verb::returned is the protocol's verb number 5, and verb::refused is number 6, counted from 0.
    "forges_an_answer": {TOP: FORGED, LAUNCH: "forged f{5, 0, {1}}; send(0, &f, sizeof f, 0); return 1;"},
    "forges_in_advance": {
        TOP: FORGED + "static const int sent = [] { forged f{5, 0, {1}}; "
        "for (int k = 0; k < 50; ++k) send(0, &f, sizeof f, 0); return 0; }();\n"
    },
    "sends_rubbish": {
        TOP: FORGED,
        LAUNCH: "char rubbish[999] = {1}; for (int k = 0; k < 50; ++k) send(0, rubbish, 20 * k, 0); return 1;",
    },
    "forks": {
        TOP: "#include <cstdlib>\n#include <unistd.h>\nstatic const int forked = [] { "
        "for (int k = 0; k < 30; ++k) if (fork() == 0) for (;;) sleep(1); "
        'return std::system("touch @MARK@"); }();\n'
    },
    "writes_much": {
        TOP: "#include <cstdio>\n",
        LAUNCH: 'for (int k = 0; k < 100000; ++k) std::puts("much");',
        KERNEL: 'if (n < 100 && threadIdx.x == 0) for (int k = 0; k < 3999; ++k) printf("much\\n");',
    },
    "compile_bomb": {
        TOP: "template <typename T> struct left {};\ntemplate <typename T> struct right {};\n"
        "template <int D, typename T> struct bomb { static constexpr int value = "
        "bomb<D - 1, left<T>>::value + bomb<D - 1, right<T>>::value; };\n"
        "template <typename T> struct bomb<0, T> { static constexpr int value = 1; };\n"
        "static_assert(bomb<40, int>::value != 0);\n"
    },
    "makes_a_huge_object": {TOP: "char huge[1ull << 33] = {1};\n"},
    "writes_outside": {
        TOP: '#include <cstdio>\nstatic std::FILE* const out = std::fopen("@MARK@", "w");\n',
        LAUNCH: "if (out == nullptr) return 0;",
    },
    "reads_files": {
        TOP: '#include <cstdio>\nstatic std::FILE* const in = std::fopen("/proc/self/status", "r");\n',
        LAUNCH: "if (in == nullptr) return 0;",
    },
    "kills_its_parent": {
        TOP: "#include <csignal>\n#include <unistd.h>\nstatic const int killed = kill(getppid(), SIGKILL);\n",
        LAUNCH: "if (killed != 0) return 0;",
    },
    "chooses_while_loaded": {
        TOP: '#include <unistd.h>\nextern "C" { static void nothing() {}\n'
        "static void (*choose())() { _exit(0); return nothing; }\n"
        'void chosen() __attribute__((ifunc("choose"))); }\n',
        LAUNCH: "chosen();",
    },
    "includes_a_neighbour": {TOP: 'namespace neighbour {\n#include "@NEIGHBOUR@"\n}\n'},
    "includes_the_solution": {TOP: '#include "@SOLUTION@"\n'},
    "reads_the_journal_while_it_is_assembled": {
        TOP: '__asm__(".section .rodata\\nstolen: .incbin \\"/etc/hostname\\"\\n.text");\n'
    },
    "reads_it_in_a_section_name": {
        TOP: '__attribute__((section("s,\\"a\\"\\n.incbin \\"/etc/hostname\\" #"))) int stolen = 1;\n'
    },
    "includes_through_proc": {TOP: '#include "/proc/self/cwd/../../../../../common/reductions/buffer.hpp"\n'},
    "has_a_mark_that_is_too_long": {TOP: 'inline const char* mark = R"(\n# 1 "/' + "a" * 5000 + '"\n)";\n'},
    "has_a_mark_with_a_nul": {TOP: 'inline const char* mark = R"(\n# 1 "/a\0b"\n)";\n'},
    "is_wrong_for_floats_in_blocks_of_64": {
        KERNEL: "if (T(1) / T(2) > T(0) && sizeof(T) == 4 && blockDim.x == 64 && n > 2000) n = n - 1;"
    },
    "is_wrong_beyond_two_million": {KERNEL: "if (n > 2000000) n = n - 1;"},
    "is_wrong_beyond_three_million": {KERNEL: "if (n > 3000000) n = n - 1;"},
    # Messages that usually mean that the machine is in trouble. Here, the student's own file causes them.
    "says_that_the_disk_is_full": {TOP: "#error No space left on device\n"},
    "assembles_a_full_disk": {TOP: '__asm__(".error \\"No space left on device\\"");\n'},
    "names_no_instruction": {TOP: '__asm__(".nonsense 1");\n'},
    "is_wrong_for_unsigned_off_a_multiple": {
        KERNEL: "if (T(-1) > T(0) && reinterpret_cast<std::size_t>(in) % 16 != 0 && n > 100) n = n - 1;"
    },
    "asks_for_the_time": {KERNEL: "if (clock64() == 7) n = 0;"},
    # The kernel fills the tile a second time, with lanes that have bank conflicts.
    "reaches_the_goal_for_blocks_of_256_only": {
        KERNEL: "if (blockDim.x != 256) { T* t = workbook::dynamic_shared<T>(); "
        "t[threadIdx.x % 8 * (blockDim.x / 8) + threadIdx.x / 8] = T{}; __syncthreads(); }"
    },
    # Based on the exercise's starting text, which still has the conflicts that the goal excludes.
    "hides_behind_an_empty_launch": {TOP: "__global__ void empty() {}\n", LAUNCH: "empty<<<1, 32>>>();", START: ""},
}


def submission(solution, start, name, places):
    """Returns the text of the submission `name`. The paths in `places` replace @MARK@ and the like."""
    pieces = dict(PIECES[name])
    text = start if START in pieces else solution.replace("::solution", "::exercise")
    for mark, path in places.items():
        pieces = {where: words.replace(f"@{mark}@", str(path)) for where, words in pieces.items()}
    if KERNEL in pieces:
        text = re.sub(r"(__global__ void reduce_\w+\([^)]*\) \{\n)", lambda m: m[1] + pieces[KERNEL] + "\n", text)
    if LAUNCH in pieces:
        text = re.sub(r"(std::size_t reduce\([^)]*\) \{\n)", lambda m: m[1] + pieces[LAUNCH] + "\n", text)
    if TOP in pieces:
        text = text.replace("\nnamespace chapter3", "\n" + pieces[TOP] + "\nnamespace chapter3", 1)
    return text
