"""Render a page: one file of HTML that fetches nothing and runs no script but its own. Data in a
page is escaped: text by Jinja's autoescape, data for scripts by :func:`json_text`. The page's
Content-Security-Policy names the digests of its scripts, so that no other markup would run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from anonsql.presentation import numbers
from anonsql.presentation.tree import Part, Section, has_chart
from anonsql.system import text_files
from anonsql.version import __version__

_NO_SCRIPT = "'none'"
_FOLDER = Path(__file__).parent.parent
_BUNDLE = "import sys, vl_convert; sys.stdout.buffer.write(vl_convert.javascript_bundle().encode())"
_IN_SCRIPTS = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


def render(
    template: str,
    *,
    title: str,
    styles: Sequence[str] = (),
    charts: bool = True,
    **context: object,
) -> str:
    """Return the page of a template (``<template>.html.j2``) that shows ``context``. ``styles`` are
    sheets behind ``style.css``. A page without ``charts`` has no script at all."""
    sheets = "\n".join(_file(name) for name in ("presentation/style.css", *styles))
    code = [library(), _file("presentation/charts.js")] if charts else []
    return (
        environment()
        .get_template(f"{template}.html.j2")
        .render(
            title=title,
            version=__version__,
            policy_of_content=content_security_policy(code),
            style=Markup(sheets),  # noqa: S704 - files of this package
            scripts=[Markup(name) for name in code],  # noqa: S704 - likewise, and Vega
            **context,
        )
    )


def write(
    html: str | Path, command: str, title: str, parts: Sequence[Part], *, of_source: bool = True
) -> None:
    """Write the page of a command's findings, readable only by the account that made it."""
    text_files.write_private(Path(html), "--html", described(command, title, parts, of_source))


def described(command: str, title: str, parts: Sequence[Part], of_source: bool = True) -> str:
    """Return the page of a command's findings; the parts before the first section are its head.
    ``of_source``: it holds counts of the source."""
    sections = [at for at, part in enumerate(parts) if isinstance(part, Section)]
    first = min(sections, default=len(parts))
    return render(
        "presentation/described",
        title=title,
        charts=has_chart(parts),
        command=command,
        of_source=of_source,
        head=parts[:first],
        sections=parts[first:],
    )


def json_text(value: object) -> Markup:
    """Return a value as JSON for a ``<script>`` of HTML: characters that could end the script or
    begin a comment are escaped. NaN and infinity, which JSON cannot say, raise ValueError.

    >>> print(json_text({"</script>": "a & b"}))
    {"\\u003c/script\\u003e":"a \\u0026 b"}
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.translate(_IN_SCRIPTS))  # noqa: S704 - escaped by the line itself


def content_security_policy(scripts: Sequence[str]) -> str:
    """Return the policy of a page with these inline scripts: it fetches and sends nothing."""
    digests = " ".join(
        f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts
    )
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {digests or _NO_SCRIPT}",
            "style-src 'unsafe-inline'",
            "img-src data:",
            "connect-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def library() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script."""
    # HTML knows one kind of line end, and a digest must be that of what a browser reads
    text = bundling().result().replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("</script", "<\\/script")


@cache
def bundling() -> Future[str]:
    """Begin to make that script, once. It takes two seconds, which vl-convert lets no other thread
    use, so another process makes it: call this before the work that a page needs."""
    pool = ThreadPoolExecutor(1)
    made = pool.submit(_bundle)
    pool.shutdown(wait=False)
    return made


def _bundle() -> str:
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and text
            [sys.executable, "-P", "-c", _BUNDLE],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        import vl_convert

        bundle: Callable[[], str] = vl_convert.javascript_bundle  # type: ignore[assignment]
        return bundle()
    return done.stdout.decode()


@cache
def environment() -> Environment:
    """Return the Jinja environment of pages: text is escaped, undefined names are errors."""
    made = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= numbers.FILTERS
    made.filters |= {"json_text": json_text, "code": _code}
    return made


def _code(text: str) -> Markup:
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped


@cache
def _file(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
