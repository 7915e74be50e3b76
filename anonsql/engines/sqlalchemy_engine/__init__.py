"""What engines over SQLAlchemy share."""
