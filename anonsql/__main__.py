"""``python -m anonsql``."""

from anonsql.cli import main

main()
