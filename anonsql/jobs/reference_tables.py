"""Read the reference tables of a policy for commands that work on a release: they are part of the
policy, as hierarchy files are, and are in the source's database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from anonsql.engines import open_engine
from anonsql.engines.base import Context
from anonsql.hierarchies import reference_tables
from anonsql.jobs.workspace import scratch
from anonsql.policy.locations import JobLocations
from anonsql.policy.policies import AnyPolicy
from anonsql.system.journal import Journal


@contextmanager
def tables_read(policy: AnyPolicy) -> Iterator[None]:
    """Have the reference tables of a policy read inside the ``with`` block, where it names some.
    The source is opened for that, and nothing else of it is read."""
    if not policy.unread_tables:
        yield
        return
    places = JobLocations.of(policy)
    with scratch() as folder:
        context = Context(folder, policy.engine, Journal(), purpose="anonsql", reading=True)
        with closing(open_engine(places.source, context)) as engine:
            engine.open_source(policy.first.source)
            for table in policy.planned.values():
                reference_tables.read(engine, table, folder)
        yield
