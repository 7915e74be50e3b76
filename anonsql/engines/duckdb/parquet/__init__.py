"""Parquet files read byte by byte: what lies in them besides rows."""
