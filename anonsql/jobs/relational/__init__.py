"""One job over several tables: open them, decide the levels of all columns, stage all tables, prove
them together, publish them together."""
