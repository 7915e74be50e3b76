"""Aggregates of the original table answered from a release of it, whatever method made that."""

from __future__ import annotations

from anonsql.report.usefulness_documents import QueryReport

__all__ = ["query"]


def query(release: object, sql: str) -> QueryReport:
    """Answer ``SELECT COUNT(*), SUM(a), AVG(b) FROM released_table WHERE …`` about the original columns from a release.

    ``release`` is a DuckDB file, a Parquet file or folder, a URL of PostgreSQL or Spark (text or path), or a policy (a file that ends in
    .yaml or .yml, or a Policy), whose hierarchies then tell what labels stand for. Raises PolicyError for a query that cannot be
    rewritten, with what of it cannot, and where there is no such release.
    """
    from anonsql.answering import (
        command,
    )  # with sqlglot, which takes as long to load as a small search

    return command.query(release, sql)
