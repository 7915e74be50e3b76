"""``mcp``: answer agents from releases."""
