"""Put a bill of materials into every wheel: what anonsql declares to depend on, as CycloneDX JSON
in dist-info/sboms (PEP 770)."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.requirements import Requirement


def bill(
    name: str, version: str, license: str, required: list[str], extras: dict[str, list[str]]
) -> dict[str, Any]:
    """The document. Versions are ranges here, so components have none; ``tests/requirements.lock``
    says what was tested."""
    wanted = [(each, "required", "") for each in required]
    wanted += [
        (each, "optional", extra)
        for extra, those in sorted(extras.items())
        for each in those
        if Requirement(each).name != name
    ]
    components = []
    for text, scope, extra in wanted:
        one = Requirement(text)
        range_ = str(one.specifier) or "any"
        facts = [("anonsql:range", range_), *([("anonsql:extra", extra)] if extra else [])]
        components.append(
            {
                "type": "library",
                "bom-ref": f"{extra or 'anonsql'}/{one.name}",
                "name": one.name,
                "purl": f"pkg:pypi/{one.name.lower().replace('_', '-')}",
                "scope": scope,
                "properties": [{"name": key, "value": value} for key, value in facts],
            }
        )
    itself = f"pkg:pypi/{name}@{version}"
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": itself,
                "name": name,
                "version": version,
                "purl": itself,
                "licenses": [{"expression": license}],
            }
        },
        "components": components,
        "dependencies": [
            {"ref": itself, "dependsOn": [each["bom-ref"] for each in components]},
        ],
    }


class SbomHook(BuildHookInterface[Any]):
    """The build hook."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the document of this build and name it to hatchling."""
        if self.target_name != "wheel" or version == "editable":
            return
        core = self.metadata.core
        document = bill(
            core.name,
            self.metadata.version,
            core.license_expression,
            core.dependencies,
            core.optional_dependencies,
        )
        self._folder = tempfile.TemporaryDirectory()
        path = Path(self._folder.name) / "anonsql.cdx.json"
        path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        build_data["sbom_files"].append(str(path))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove it again: the wheel has it."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()
