"""The regular expressions by which text is looked at, of the common subset of all engines: no
groups that capture, no classes by name, no look-around, no backslash."""

from __future__ import annotations

from functools import cache
from importlib import resources

from anonsql.policy.columns import Kind

_LATIN = "A-Za-zÀ-ɏ"
_SMALL = "a-zß-ɏ"
_START, _END = "(?:^|[^0-9A-Za-z])", "(?:[^0-9A-Za-z]|$)"

_CUES = "(?:[Tt]el|[Pp]hone|[Mm]obile|[Ff]ax|[Hh]andy|[Tt]elefon|TEL|FAX|PHONE)"
_CALLED = (
    "(?:[Cc]all(?:ed|s|ing)?|[Rr]ing|[Rr]ang|[Pp]hon(?:e|ed|ing)|[Rr]each(?:ed)?|[Tt]ext(?:ed)?"
    "|[Cc]ontact(?:ed)?|[Aa]nruf(?:en)?|[Aa]ngerufen)"
)
_PHONE = (
    f"{_START}{_CUES}[.:]?(?: ?(?:no|nr)[.:]?)? ?[+(]?[0-9](?:[ ()/.-]{{0,2}}[0-9]){{5,14}}{_END}",
    # with the country's number
    "(?:^|[^0-9A-Za-z+])[+][1-9](?:[ ()/.-]{0,2}[0-9]){7,14}(?:[^0-9]|$)",
    # with 0 before the area's number; a dot between groups of two digits only, as in no date
    "(?:^ ?|[^0-9] |[(;,/]|[A-Za-z][:.=])(?:0[1-9][0-9]{7,10}|0[1-9][0-9]{1,4} ?[/-] ?[0-9]{4,9}"
    "|0[1-9][0-9]{1,4} [0-9]{5,8}|0[1-9][0-9]{1,4}(?: [0-9]{2,4}){2,4}"
    "|0[1-9](?:[ .][0-9]{2}){4}|[(]0[1-9][0-9]{1,4}[)] ?[0-9][0-9 -]{4,9}[0-9])(?:[^0-9A-Za-z]|$)",
    # as in North America
    "(?:^|[^0-9A-Za-z.-])(?:1[ .-])?(?:[(][2-9][0-9]{2}[)] ?[0-9]{3}[ .-][0-9]{4}"
    "|[2-9][0-9]{2}-[0-9]{3}-[0-9]{4}|[2-9][0-9]{2}[.][0-9]{3}[.][0-9]{4})(?:[^0-9A-Za-z.-]|$)",
    # the same without the area's number, in a sentence that says who is called
    f"{_START}{_CALLED}[^0-9]{{1,40}}[2-9][0-9]{{2}}[ .-][0-9]{{4}}{_END}",
)
_NATIONAL = (
    "(?:[0-578][0-9]{2}|6[0-57-9][0-9]|66[0-57-9])-[0-9]{2}-[0-9]{4}",  # USA
    "[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]",  # United Kingdom
    "[A-Z]{6}[0-9]{2}[A-EHLMPR-T][0-9]{2}[A-Z][0-9]{3}[A-Z]",  # Italy
    "756[.][0-9]{4}[.][0-9]{4}[.][0-9]{2}",  # Switzerland
    "[0-9]{3}[.][0-9]{3}[.][0-9]{3}-[0-9]{2}",  # Brazil
    "[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])[-+][0-9]{4}",  # Sweden
    "(?:0[1-9]|[12][0-9]|3[01])(?:0[1-9]|1[0-2])[0-9]{2}[-+A][0-9]{3}[0-9A-FHJ-NPR-Y]",  # Finland
)
_NO_NAME_BEFORE, _NO_NAME_AFTER = f"(?:^|[^{_LATIN}0-9.@_-])", f"(?:[^{_LATIN}0-9'’@_-]|$)"
_FORMS = "(?:Mr|Mrs|Ms|Miss|Dr|Prof|Herrn?|Frau|Mme|Monsieur|Madame)"
_ADDRESSED = f"{_FORMS}[.]? [A-ZÀ-Þ][{_SMALL}]{{2,}}"


TITLES = tuple((f"{word} ", f"{word}.") for word in ("St.", "Saint", "Sankt", "San", "Santa"))
"""What precedes a given name in names of places, and how it is bound to the name."""

SENTENCE = f"[{_SMALL}]{{3,}}[^ ]* +[^ ]+ +[^ ]+ +[^ ]"
"""Four words or more, the first of letters."""

_GROUP = "(?:[0-9][0-9A-Z]{3}|[A-Z][0-9][0-9A-Z]{2}|[A-Z]{2}[0-9][0-9A-Z]|[A-Z]{3}[0-9])"
_MONTH, _DAY = "(?:0[1-9]|1[0-2])", "(?:0[1-9]|[12][0-9]|3[01])"
_CARD = (
    "(?:4[0-9]{3}|5[1-5][0-9]{2}|2[2-7][0-9]{2}|6[0245][0-9]{2})(?:[ -]?[0-9]{4}){3}"
    "|3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5}"
)
NUMBERS = {
    "account": f"[A-Z]{{2}}[0-9]{{2}} ?[0-9A-Z]{{4}}(?: ?{_GROUP}){{1,6}}(?: ?[0-9A-Z]{{1,3}})?",
    "card": _CARD,
    "pension": f"[0-9]{{2}} ?{_DAY}{_MONTH}[0-9]{{2}} ?[A-Z] ?[0-9]{{3}}",  # Germany
    "person": "[0-9]{8}-?[A-HJ-NP-TV-Z]",  # Spain
    # France
    "keyed": f"[12] ?[0-9]{{2}} ?{_MONTH} ?[0-9]{{2}} ?[0-9]{{3}} ?[0-9]{{3}} ?[0-9]{{2}}",
}
"""Numbers with check digits, by the name of their column in the statement."""


def bounded(expression: str) -> str:
    """Return an expression of a number without a digit or letter before or after it."""
    return f"{_START}(?:{expression}){_END}"


@cache
def by_kind() -> dict[Kind, str]:
    """Return the expression of each kind that is recognized by its form, names last."""
    return {
        "phone": "|".join(_PHONE),
        "mail": "[A-Za-z0-9_%+-]@[A-Za-z0-9-]+(?:[.][A-Za-z0-9-]+)*[.][A-Za-z]{2,}",
        "url": "(?:[Hh][Tt][Tt][Pp][Ss]?|[Ff][Tt][Pp])://[^ /]|"
        "(?:^|[^0-9A-Za-z.@])[Ww][Ww][Ww][.][A-Za-z0-9-]+[.][A-Za-z]",
        "national-number": bounded("|".join(_NATIONAL)),
        "name": f"{_NO_NAME_BEFORE}(?:{_trie(given_names())}|{_ADDRESSED}){_NO_NAME_AFTER}",
    }


@cache
def given_names() -> tuple[str, ...]:
    """Return the given names, also in capitals where they have four letters or more."""
    text = resources.files(__package__).joinpath("given_names.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    names = " ".join(lines).split()
    capitals = [name.upper() for name in names if len(name) > 3]
    return tuple(sorted({*names, *capitals}))


def _trie(words: tuple[str, ...]) -> str:
    """Return an expression that matches one of some sorted words, common beginnings once."""
    groups: dict[str, list[str]] = {}
    for word in words:
        groups.setdefault(word[:1], []).append(word[1:])
    ends = "" in groups
    branches = [
        first + (_trie(tuple(rest)) if rest != [""] else "")
        for first, rest in groups.items()
        if first
    ]
    if not ends and len(branches) == 1:
        return branches[0]
    return f"(?:{'|'.join(branches)}){'?' if ends else ''}"
