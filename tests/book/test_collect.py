#!/usr/bin/env python3
"""Tests that the results of record.sh, here for several GPUs, become records of this repository."""

from __future__ import annotations

import json
import pathlib
import tempfile
import unittest

from book import collect, records


class OfSeveralGpus(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "gpu.txt").write_text("NVIDIA H200, 580.159.03\n" * 4, encoding="utf-8")
        (self.folder / "host.txt").write_text("64 cores, 18 NVLinks of each GPU\n", encoding="utf-8")

    def leave(self, name: str, command: str) -> None:
        source = {"gpu": "NVIDIA H200", "toolkit": 13000, "date": "2026-12-01T10:00:00Z", "commit": "0123abcd"}
        record = {"schema": 1, "provenance": {**source, "command": command}}
        (self.folder / f"{name}.json").write_text(json.dumps(record), encoding="utf-8")

    def test_records_name_the_driver_and_the_host_and_no_folder(self) -> None:
        self.leave("links", "build-gpu/bin/machine --parts links --json /tmp/out/links.json")
        self.leave("scaling", "build-gpu/bin/scaling --links /tmp/out/links.json --json /tmp/out/scaling.json --gpus 4")
        found = collect.collected(self.folder, "h200x4")
        self.assertEqual(
            [path.relative_to(records.DATA) for path in found],
            [pathlib.Path("links_h200x4.json"), pathlib.Path("scaling_h200x4.json")],
        )
        for record in found.values():
            self.assertEqual(record["provenance"]["driver"], "580.159.03")
            self.assertEqual(record["provenance"]["host"], "64 cores, 18 NVLinks of each GPU")
            self.assertNotIn("/tmp", record["provenance"]["command"])

    def test_a_folder_without_records_is_refused(self) -> None:
        with self.assertRaisesRegex(records.BadData, "has none of .*links.json"):
            collect.collected(self.folder, "h200x4")


if __name__ == "__main__":
    unittest.main()
