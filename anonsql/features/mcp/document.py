"""The document of ``mcp``."""

from __future__ import annotations

from anonsql.presentation.documents import Document


class McpReport(Document):
    """What `anonsql mcp` served until its client ended it."""

    tables: list[str]
