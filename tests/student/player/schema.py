"""Checks a value against a JSON schema. Supports only the few keywords that recording.schema.json uses."""

from __future__ import annotations

import typing

TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "boolean": (bool,),
}
KNOWN = {"title", "type", "required", "additionalProperties", "properties", "items", "enum"}


def complaints(value: typing.Any, schema: dict[str, typing.Any], where: str = "") -> list[str]:
    """Returns how the value deviates from the schema."""
    unknown = set(schema) - KNOWN
    if unknown:
        return [f"the schema uses {unknown}, which this does not check"]
    wrong = []
    if "enum" in schema and value not in schema["enum"]:
        wrong.append(f"{where} is {value!r}")
    kind = schema.get("type")
    if kind and (not isinstance(value, TYPES[kind]) or (kind == "integer" and isinstance(value, bool))):
        return [*wrong, f"{where} is not of type {kind}: {value!r}"]
    if isinstance(value, dict):
        wrong += [f"{where} has no {name}" for name in schema.get("required", []) if name not in value]
        known = schema.get("properties", {})
        if schema.get("additionalProperties") is False:
            wrong += [f"{where} has {name}, which is not in the schema" for name in value if name not in known]
        for name, part in known.items():
            if name in value:
                wrong += complaints(value[name], part, f"{where}/{name}")
    if isinstance(value, list) and "items" in schema:
        for k, item in enumerate(value):
            wrong += complaints(item, schema["items"], f"{where}/{k}")
    return wrong
