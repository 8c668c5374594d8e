"""Shared libraries of submissions: their constructors are hidden from the dynamic linker, so that none of their code
runs before the process that opens them has confined itself. It runs them then (exercise_host/constructors.cpp)."""

import struct

INIT, INIT_ARRAY, INIT_ARRAY_SIZE = 12, 25, 27
NEEDED, STRING_TABLE = 1, 5
RELOCATIONS = {7: 8, 23: 2}  # DT_RELA: DT_RELASZ; DT_JMPREL: DT_PLTRELSZ
# An _init function is hidden, too, and not run at all: the compiler's own does nothing.
HIDDEN = {INIT_ARRAY: 0x6057AB01, INIT_ARRAY_SIZE: 0x6057AB02, INIT: 0x6057AB03}
RELATIVE_BY_CALL = {62: 37, 183: 1032}  # R_X86_64_IRELATIVE, R_AARCH64_IRELATIVE
SYMBOL_TABLE, INDIRECT_FUNCTION = 11, 10
ALLOWED = {"libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0",
           "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


class Refused(Exception):
    """The library would run code, or load some, before it is allowed to."""


class Image:
    """A 64-bit little-endian ELF file."""

    def __init__(self, data):
        self.data = data
        if data[:6] != b"\x7fELF\x02\x01":
            raise Refused("it is no 64-bit library")
        self.machine = struct.unpack_from("<H", data, 18)[0]
        start, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
        self.segments = [struct.unpack_from("<IIQQQQQQ", data, start + k * size) for k in range(count)]

    def offset(self, address):
        """Where in the file stands what is loaded at `address`."""
        for kind, _, at, virtual, _, size, _, _ in self.segments:
            if kind == 1 and virtual <= address < virtual + size:
                return at + address - virtual
        raise Refused("its dynamic section points nowhere")

    def dynamic(self):
        """(file offset, tag, value) of each entry of the dynamic section."""
        section = next((s for s in self.segments if s[0] == 2), None)
        if section is None:
            raise Refused("it has no dynamic section")
        entries = []
        for at in range(section[2], section[2] + section[5] - 15, 16):
            tag, value = struct.unpack_from("<qQ", self.data, at)
            if tag == 0:
                break
            entries.append((at, tag, value))
        return entries

    def text(self, at):
        return bytes(self.data[at:self.data.index(0, at)]).decode("ascii", "replace")


def refuse_early_code(image, entries):
    """Refuses functions that the dynamic linker calls while it relocates, and libraries that it would load."""
    values = {tag: value for _, tag, value in entries}
    strings = image.offset(values[STRING_TABLE])
    for _, tag, value in entries:
        if tag == NEEDED and image.text(strings + value) not in ALLOWED:
            raise Refused(f"it wants the library {image.text(strings + value)!r}")
    symbols = image.offset(values[6])
    for table, size in RELOCATIONS.items():
        if table not in values:
            continue
        begin = image.offset(values[table])
        for at in range(begin, begin + values.get(size, 0), 24):
            info = struct.unpack_from("<Q", image.data, at + 8)[0]
            if info & 0xFFFFFFFF == RELATIVE_BY_CALL.get(image.machine):
                raise Refused("it has functions that choose themselves while it is loaded (ifunc)")
            if info >> 32 and image.data[symbols + (info >> 32) * 24 + 4] & 15 == INDIRECT_FUNCTION:
                raise Refused("it has functions that choose themselves while it is loaded (ifunc)")
    if {36, 37} & set(values):  # DT_RELR and its size hold plain addresses only, and ld makes none unless asked
        raise Refused("it has packed relocations")


def withhold_constructors(path):
    """Changes the library at `path` (pathlib.Path). Raises Refused."""
    try:
        image = Image(bytearray(path.read_bytes()))
        entries = image.dynamic()
        refuse_early_code(image, entries)
        for at, tag, _ in entries:
            if tag in HIDDEN:
                struct.pack_into("<q", image.data, at, HIDDEN[tag])
    except (struct.error, IndexError, KeyError, ValueError, OverflowError) as error:
        raise Refused("it is damaged") from error
    path.write_bytes(image.data)
