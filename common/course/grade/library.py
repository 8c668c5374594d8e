"""Hides the constructors in the shared libraries of submissions from the dynamic linker. Otherwise their code would run
before the process that opens the library has confined itself. After that, the process runs them
(exercise_host/constructors.cpp)."""

from __future__ import annotations

import io
import pathlib
import struct

from elftools.common.utils import struct_parse
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationTable

# The tags under which exercise_host finds the hidden entries. An _init function is hidden, too, but it is never run,
# because the one that compilers generate does nothing.
HIDDEN = {"DT_INIT_ARRAY": 0x6057AB01, "DT_INIT_ARRAYSZ": 0x6057AB02, "DT_INIT": 0x6057AB03}
# Relocations and symbols for which the dynamic linker calls a function of the library.
BY_CALL = {"EM_X86_64": 37, "EM_AARCH64": 1032}  # R_X86_64_IRELATIVE, R_AARCH64_IRELATIVE
INDIRECT_FUNCTION = 10  # STT_GNU_IFUNC
RELOCATIONS = {"DT_RELA": "DT_RELASZ", "DT_JMPREL": "DT_PLTRELSZ"}
# Packed relocations contain only plain addresses, and by default the linker does not write any. Older versions of
# pyelftools know these tags only by number.
PACKED = {"DT_RELRSZ", "DT_RELR", 35, 36}
SYMBOL_BYTES, RELOCATION_BYTES = 24, 24
MAX_RELOCATIONS = 1 << 16  # an exercise has a few hundred
ALLOWED = {
    "libstdc++.so.6",
    "libm.so.6",
    "libgcc_s.so.1",
    "libc.so.6",
    "libdl.so.2",
    "librt.so.1",
    "libpthread.so.0",
    "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1",
}


class Refused(Exception):
    """Raised if the library would run code, or load other libraries, before this is allowed."""


class Image:
    """A 64-bit little-endian library, read as the dynamic linker reads it: through its segments, never through its
    sections."""

    def __init__(self, data: bytes) -> None:
        if data[:6] != b"\x7fELF\x02\x01":
            raise Refused("it is not a 64-bit library")
        self.data = bytearray(data)
        self.file = ELFFile(io.BytesIO(data))
        segments = [one for one in self.file.iter_segments() if one["p_type"] == "PT_DYNAMIC"]
        if len(segments) != 1:
            raise Refused("it has no dynamic section" if not segments else "it has several dynamic sections")
        self.entries = self._entries(self.offset(segments[0]["p_vaddr"]))
        self.values = {tag: value for _, tag, value in self.entries}

    def offset(self, address: int) -> int:
        """Returns the offset in the file of the byte that is loaded at `address`."""
        offsets = list(self.file.address_offsets(address))
        if len(offsets) != 1:
            raise Refused("its dynamic section contains an address that is in no segment, or in two")
        return int(offsets[0])

    def _entries(self, at: int) -> list[tuple[int, str | int, int]]:
        """Returns the file offset, tag and value of each entry of the dynamic section."""
        entries: list[tuple[int, str | int, int]] = []
        while True:
            entry = struct_parse(self.file.structs.Elf_Dyn, self.file.stream, at)
            if entry.d_tag == "DT_NULL":
                break
            entries.append((at, entry.d_tag, entry.d_val))
            at += self.file.structs.Elf_Dyn.sizeof()
        once = [tag for _, tag, _ in entries if tag != "DT_NEEDED"]
        if len(set(once)) != len(once):
            raise Refused("its dynamic section contains an entry twice")
        return entries

    def needed(self) -> list[str]:
        """Returns the names of the libraries that are loaded with this one."""
        strings = self.offset(self.values["DT_STRTAB"])
        begins = [strings + value for _, tag, value in self.entries if tag == "DT_NEEDED"]
        return [bytes(self.data[at : self.data.index(0, at)]).decode("ascii", "replace") for at in begins]

    def calls_while_relocating(self) -> bool:
        """Returns true if the dynamic linker would call functions of the library while it relocates the library."""
        symbols = self.offset(self.values["DT_SYMTAB"])
        for table, size in RELOCATIONS.items():
            if table not in self.values:
                continue
            size_bytes = self.values.get(size, 0)
            if size_bytes > MAX_RELOCATIONS * RELOCATION_BYTES:
                raise Refused(f"it has more than {MAX_RELOCATIONS} relocations")
            begin = self.offset(self.values[table])
            for one in RelocationTable(self.file, begin, size_bytes, True).iter_relocations():
                symbol = one["r_info_sym"]
                if one["r_info_type"] == BY_CALL.get(self.file["e_machine"]):
                    return True
                if symbol and self.data[symbols + symbol * SYMBOL_BYTES + 4] & 15 == INDIRECT_FUNCTION:
                    return True
        return False


def refuse_early_code(image: Image) -> None:
    """Raises Refused if the dynamic linker would call functions during relocation, or would load other libraries."""
    foreign = [name for name in image.needed() if name not in ALLOWED]
    if foreign:
        raise Refused(f"it needs the library {foreign[0]!r}, which is not allowed")
    if image.calls_while_relocating():
        raise Refused("it has functions that are selected while it is loaded (ifunc)")
    if PACKED & set(image.values):
        raise Refused("it has packed relocations")


def withhold_constructors(path: pathlib.Path) -> None:
    """Hides the constructors of the library at `path`, in place. Raises Refused."""
    try:
        image = Image(path.read_bytes())
        refuse_early_code(image)
        for at, tag, _ in image.entries:
            if tag in HIDDEN:
                struct.pack_into("<q", image.data, at, HIDDEN[tag])
    except Refused:
        raise
    except Exception as error:  # any error of the ELF reader on damaged bytes
        raise Refused("it is damaged") from error
    path.write_bytes(image.data)
