"""The command line: thin commands over the Python functions, and how they speak."""

from anonsql.cli.commands import app, main

__all__ = ["app", "main"]
