"""The stages of a job over several tables, in order: see :mod:`anonsql.jobs.pipeline`."""

from __future__ import annotations

from anonsql.jobs.job import Stages
from anonsql.jobs.publishing import guard_release
from anonsql.jobs.relational.columns import build_hierarchies
from anonsql.jobs.relational.deciding import choose, code_rows, fit_scheme, search
from anonsql.jobs.relational.publishing import publish_release, stage, verify_release
from anonsql.jobs.relational.tables import check_keys, fingerprint_tables, look_at_text, open_tables

OPEN = (guard_release, open_tables)
OPEN_RUN = (*OPEN, fingerprint_tables)
FIT = (check_keys, build_hierarchies)
CHECK = (open_tables, *FIT)
PROVE = (look_at_text, code_rows, search, choose, stage, verify_release)
RELEASE = (*FIT, *PROVE, publish_release)
APPLY = (*FIT, fit_scheme, *PROVE, publish_release)
TRY_OUT = (*CHECK, *PROVE)
SEARCH = (*CHECK, code_rows)


def stages() -> Stages:
    """Return what such a job goes through."""
    return Stages(OPEN, OPEN_RUN, RELEASE, APPLY, TRY_OUT)
