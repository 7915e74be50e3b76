"""The command line: thin commands over the Python functions, and their output."""

from anonsql.cli.commands import app, main

__all__ = ["app", "main"]
