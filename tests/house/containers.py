#!/usr/bin/env python3
"""Checks the files for editors and containers as far as possible without a container engine: containers.py TREE

JSON files must be valid. Every task that a launch needs must exist, and so must every make target that a task calls.
The Dockerfile must install every package that the bootstrap requires. The citation file must have its fields, and the
changelog its headings. Prints what is wrong, and exits with 1 if anything is.
"""

import json
import pathlib
import re
import sys
import typing

PARTS_OF_A_RELEASE = ["Added", "Changed", "Fixed", "Lessons"]


def check_changelog(text, version):
    """Yields a message for everything that is wrong with the changelog's headings."""
    releases = re.findall(r"^## (.*)", text, re.MULTILINE)
    if releases[:2] != ["Unreleased", version]:
        yield f"CHANGELOG.md: the first headings are {releases[:2]}, and not Unreleased and the project's {version}"
    unreleased = text.partition("\n## Unreleased\n")[2].partition("\n## ")[0]
    parts = re.findall(r"^### (.*)", unreleased, re.MULTILINE)
    if parts != PARTS_OF_A_RELEASE:
        yield f"CHANGELOG.md: the parts of Unreleased are {parts}, and not {PARTS_OF_A_RELEASE}"


def check(tree):
    """Yields a message for everything that is wrong."""
    loaded: dict[str, typing.Any] = {}
    for name in (
        ".vscode/tasks.json",
        ".vscode/launch.json",
        ".vscode/settings.json",
        ".vscode/extensions.json",
        ".devcontainer/devcontainer.json",
        "CMakePresets.json",
    ):
        try:
            loaded[name] = json.loads((tree / name).read_text(encoding="utf-8"))
        except (OSError, json.JSONDecodeError) as error:
            yield f"{name}: {error}"
            return
    yield from wrong_in_editors(tree, loaded)
    yield from wrong_in_containers(tree, loaded[".devcontainer/devcontainer.json"])
    yield from wrong_in_citation(tree)


def wrong_in_editors(tree, loaded):
    makefile = (tree / "Makefile").read_text(encoding="utf-8")
    tasks = {task["label"]: task for task in loaded[".vscode/tasks.json"]["tasks"]}
    for label, task in tasks.items():
        for target in re.findall(r"\bmake ([a-z-]+)", task["command"]):
            if not re.search(rf"^{target}%?:|foreach verb,[^)]*\b{target}\b", makefile, re.MULTILINE):
                yield f".vscode/tasks.json: '{label}' calls `make {target}`, which is not a target"
        for preset in re.findall(r"--preset (\w+)", task["command"]):
            if preset not in {p["name"] for p in loaded["CMakePresets.json"]["configurePresets"]}:
                yield f".vscode/tasks.json: there is no preset {preset}"
    for launch in loaded[".vscode/launch.json"]["configurations"]:
        if launch.get("preLaunchTask") not in tasks:
            yield f".vscode/launch.json: '{launch['name']}' wants a task that is not there"
    if "CMAKE_EXPORT_COMPILE_COMMANDS ON" not in (tree / "common/cmake/Options.cmake").read_text(encoding="utf-8"):
        yield "the build writes no compile_commands.json, which .vscode/settings.json names"


def wrong_in_containers(tree, container):
    dockerfile = (tree / ".devcontainer" / container["build"]["dockerfile"]).resolve()
    if not dockerfile.exists():
        yield f".devcontainer/devcontainer.json: there is no {container['build']['dockerfile']}"
        return
    text = dockerfile.read_text(encoding="utf-8")
    instructions = re.findall(r"^([A-Z]+) ", text, re.MULTILINE)
    if instructions[:1] != ["FROM"]:
        yield "Dockerfile: its first instruction is not FROM"
    installs = re.search(r"install -y[^&]*", text)
    installed = set(installs[0].replace("\\", " ").split()[2:]) if installs else set()
    bootstrap = (tree / "common/bootstrap/needs.py").read_text(encoding="utf-8")
    needed = r'_need_(?:program|library)\(\s*"\w+", "\w+", "([\w+-]+)"'
    wanted = {"python3-markdown", "python3-matplotlib", "ninja-build", *re.findall(needed, bootstrap)}
    if "libfmt-dev" not in wanted or "openmpi-bin" not in wanted:
        yield "common/bootstrap/needs.py: the packages that it requires were not found"
    for package in sorted(wanted - installed):
        yield f"Dockerfile: does not install {package}, which the bootstrap requires"


def wrong_in_citation(tree):
    citation = (tree / "CITATION.cff").read_text(encoding="utf-8")
    project = (tree / "CMakeLists.txt").read_text(encoding="utf-8").split("project(")[1]
    versions = re.findall(r"VERSION ([\d.]+)", project)
    for field in ("cff-version", "message", "title", "authors", "license"):
        if not re.search(rf"^{field}:", citation, re.MULTILINE):
            yield f"CITATION.cff: '{field}' is missing"
    if f"version: {versions[0]}" not in citation:
        yield f"CITATION.cff: the version is not that of the project, {versions[0]}"
    yield from check_changelog((tree / "CHANGELOG.md").read_text(encoding="utf-8"), versions[0])


def main():
    found = list(check(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(found or ["editors and containers: no errors"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
