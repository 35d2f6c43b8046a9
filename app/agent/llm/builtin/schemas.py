"""Whether arguments fit a tool's JSON schema, so that the assistant never sends what would be refused as invalid."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError


def accepts(schema: Mapping[str, Any], arguments: str) -> bool:
    """Whether the JSON text fits the schema. A schema that is none accepts nothing."""
    validator = _validator(json.dumps(schema, sort_keys=True))
    try:
        return validator is not None and validator.is_valid(json.loads(arguments))
    except ValueError:
        return False


@lru_cache(maxsize=64)
def _validator(schema: str) -> Draft202012Validator | None:
    """The validator of a schema given as JSON text; None when it is no schema."""
    parsed = json.loads(schema)
    try:
        Draft202012Validator.check_schema(parsed)
    except SchemaError:
        return None
    return Draft202012Validator(parsed)
