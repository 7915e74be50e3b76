"""``python -m anonsql``."""

from anonsql.cli.commands import main

main()
