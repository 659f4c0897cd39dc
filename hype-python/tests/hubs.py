"""Reads a package as hubs do. The arguments are its folder, and the schema of Every Eval Ever, which may be absent."""

import json
import sys
from pathlib import Path

import datasets
import jsonschema
import mlcroissant

package, schema = map(Path, sys.argv[1:])
described = mlcroissant.Dataset(jsonld=package / "croissant.json")
faults = described.metadata.issues.errors
assert not faults, faults
records = 0
for name in ("scores", "findings"):
    records += sum(1 for _ in described.records(record_set=name))
scores = datasets.load_dataset(str(package), "scores", split="train")
assert len(scores) > 10
validated = "not tried: the schema is not here"
if schema.is_file():
    checker = jsonschema.Draft202012Validator(json.loads(schema.read_text()))
    files = sorted((package / "every-eval-ever").glob("*.json"))
    for file in files:
        checker.validate(json.loads(file.read_text()))
    validated = f"{len(files)} valid"
print(f"{records} records of Croissant, {len(scores)} scores of the card, results: {validated}")
