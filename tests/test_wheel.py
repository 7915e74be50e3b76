"""What is built: all files of the package, templates that Jinja need not compile, the same bytes each
time, and an installation that runs the demo."""

import json
import os
import re
import shutil
import subprocess
import tomllib
import venv
import zipfile
from pathlib import Path

import jinja2
import pytest

from anonsql.sql import templates

from .support import TEMPLATES, in_python

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
READ = """
from types import SimpleNamespace
from anonsql.sql import templates
print(templates.environment().get_template("star/value.sql").filename)
print(templates.value(SimpleNamespace(cast="INTEGER", name="age"), "s"))
"""
"""A program that prints where a template is read, and what it renders."""


def built(folder, target="wheel", root=ROOT, **environment):
    pytest.importorskip("hatchling")
    command = ("-m", "hatchling", "build", "-t", target, "-d", folder)
    done = in_python(*command, cwd=root, env=os.environ | environment)
    assert done.returncode == 0, done.stderr
    (made,) = folder.iterdir()
    return made


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return built(tmp_path_factory.mktemp("dist"))


def test_the_wheel_holds_templates_and_schemas(wheel):
    packed = zipfile.ZipFile(wheel)
    names = set(packed.namelist())
    (bill,) = (name for name in names if name.endswith(".dist-info/sboms/anonsql.cdx.json"))
    content = json.loads(packed.read(bill))
    declared = {re.split(r"[\[>=<]", dependency)[0] for dependency in PROJECT["dependencies"]}
    found = {
        component["name"] for component in content["components"] if component["scope"] == "required"
    }
    assert (content["bomFormat"], content["metadata"]["component"]["name"]) == (
        "CycloneDX",
        "anonsql",
    )
    assert found == declared and all(item["properties"] for item in content["components"])
    for kind in ("sql_templates", "schemas"):
        for path in (ROOT / kind).rglob("*.[sj]*"):
            assert f"anonsql/{path.relative_to(ROOT)}" in names
    for path in (ROOT / "anonsql" / "guide").iterdir():
        assert f"anonsql/guide/{path.name}" in names
    assert PROJECT["license"] == "Apache-2.0"


def test_the_wheel_has_every_template_as_jinja_compiles_it_here(wheel):
    packed = zipfile.ZipFile(wheel)
    within = templates.compiled_folder().relative_to(ROOT)
    names = [name for name in TEMPLATES.list_templates() if name.endswith(".sql")]
    modules = {jinja2.ModuleLoader.get_module_filename(name): name for name in names}
    found = [Path(name) for name in packed.namelist() if name.startswith(f"{within}/")]
    assert {path.name for path in found} == set(modules)
    made = templates.environment()
    for path in found[::20]:
        name = modules[path.name]
        source, *_ = TEMPLATES.get_source(made, name)
        code = made.compile(source, name, raw=True, defer_init=True)
        assert packed.read(str(path)).decode() == code


def test_templates_are_read_as_the_installed_jinja_compiled_them(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    compiled = tmp_path / templates.compiled_folder().relative_to(ROOT)
    place, text = in_python("-c", READ, cwd=tmp_path).stdout.split("\n", 1)
    assert Path(place).parent == compiled and "CAST" in text
    compiled.rename(compiled.with_name("compiled_by_jinja_2.0"))
    place, other = in_python("-c", READ, cwd=tmp_path).stdout.split("\n", 1)
    assert Path(place) == tmp_path / "anonsql" / "sql_templates" / "star" / "value.sql"
    assert other == text


@pytest.mark.long
@pytest.mark.parametrize("target", ["wheel", "sdist"])
def test_what_is_built_twice_has_the_same_bytes(target, tmp_path):
    """From another folder, with files of another time, and with another order of sets."""
    copy = tmp_path / "copy"
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    files = subprocess.check_output(listing, cwd=ROOT, text=True)
    for name in filter(None, files.split("\0")):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    first = built(tmp_path / "first", target, PYTHONHASHSEED="1")
    again = built(tmp_path / "again", target, copy, PYTHONHASHSEED="2")
    assert first.name == again.name
    assert first.read_bytes() == again.read_bytes()


@pytest.mark.long
def test_the_demo_runs_where_nothing_but_the_wheel_was_installed(wheel, tmp_path):
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    for command in (
        [python, "-m", "pip", "install", "--quiet", wheel],
        [python, "-m", "pip", "check"],
        [python.with_name("anonsql"), "demo"],
    ):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "anonsql-demo").is_dir()
    place = subprocess.check_output([python, "-c", READ], cwd=tmp_path, text=True).split("\n")[0]
    assert (tmp_path / "venv") in Path(place).parents and place.endswith(".py")
