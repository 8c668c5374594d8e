"""Writes generated files."""

from __future__ import annotations

import pathlib


def write_if_changed(path: pathlib.Path, text: str) -> None:
    """Writes the text to a file if that changes it, so that nothing that depends on the file is done again without
    need. The file is never half-written: if writing fails, it keeps its old content, and OSError is raised."""
    data = text.encode()
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    try:
        new.write_bytes(data)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
