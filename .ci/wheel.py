"""Put into every wheel:

- a bill of materials: what anonsql declares to depend on, as CycloneDX JSON in dist-info/sboms (PEP
  770);
- the SQL templates as Python modules, which pip compiles when it installs the wheel: a process that
  may not write ``__pycache__`` would otherwise compile a hundred templates each time.
"""

from __future__ import annotations

import json
import sys
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


def compile_templates(root: Path, folder: Path) -> str:
    """Write the module of each template of the checkout into a folder. Return the folder of the
    wheel that the package reads them from, with the Jinja that compiled them."""
    sys.path.insert(0, str(root))
    from anonsql.sql import loading, templates

    environment = templates.environment().overlay(
        loader=loading.TemplateFolders(root / "sql_templates")
    )
    environment.compile_templates(
        folder, filter_func=lambda name: "__pycache__" not in name, zip=None, ignore_errors=False
    )
    return templates.compiled_folder().relative_to(root).as_posix()


class WheelHook(BuildHookInterface[Any]):
    """The build hook."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write what this build adds and name it to hatchling."""
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
        compiled = Path(self._folder.name) / "templates"
        within = compile_templates(Path(self.root), compiled)
        build_data["force_include"][str(compiled)] = within

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove it again: the wheel has it."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()
