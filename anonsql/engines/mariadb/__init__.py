"""MariaDB and MySQL as an engine, and releases in them."""
