"""Build the site of the README, the guide and the benchmarks' page. Its folder is the argument.

The pages are copied as they lie in the repository. Zensical (the successor of mkdocs-material)
fails if a link leads nowhere.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent
GUIDE = "anonsql/guide"
BENCHMARKS = "benchmarks/README.md"


def order(index: str) -> list[object]:
    """Return the navigation: the sections of the index, each with its pages in their order. Exit if
    a page is in none."""
    sections = re.split(r"^## (.+)$", index, flags=re.MULTILINE)[1:]
    pages = {
        title: re.findall(r"^- \[[^\]]+\]\(([^)#]+\.md)\)", text, re.MULTILINE)
        for title, text in zip(sections[::2], sections[1::2], strict=True)
    }
    listed = {"index.md"}.union(*pages.values())
    if missing := {page.name for page in (ROOT / GUIDE).glob("*.md")} - listed:
        sys.exit(f"the guide's index lists no {', '.join(sorted(missing))}")
    return [
        {"anonsql": "README.md"},
        {"The guide": f"{GUIDE}/index.md"},
        *({title: [f"{GUIDE}/{page}" for page in those]} for title, those in pages.items()),
        {"Benchmarks": BENCHMARKS},
    ]


def build(site: Path) -> None:
    """Build the site."""
    with tempfile.TemporaryDirectory() as folder:
        pages = Path(folder) / "pages"
        shutil.copytree(ROOT / GUIDE, pages / GUIDE)
        shutil.copytree(ROOT / "benchmarks" / "figures", pages / "benchmarks" / "figures")
        for name in ("README.md", BENCHMARKS):
            shutil.copyfile(ROOT / name, pages / name)
        navigation = yaml.safe_dump({"nav": order((ROOT / GUIDE / "index.md").read_text())})
        configuration = Path(folder) / "mkdocs.yml"
        configuration.write_text((ROOT / ".ci" / "mkdocs.yml").read_text() + navigation)
        command = [sys.executable, "-m", "zensical", "build", "--strict"]
        if failed := subprocess.run(command, cwd=folder, check=False).returncode:  # noqa: S603
            sys.exit(failed)
        shutil.copytree(Path(folder) / "site", site, dirs_exist_ok=True)


if __name__ == "__main__":
    build(Path(sys.argv[1]))
