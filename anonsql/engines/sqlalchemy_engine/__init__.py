"""What engines over SQLAlchemy share: MariaDB and SQLite."""
