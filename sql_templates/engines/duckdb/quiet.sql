{# out: no progress bar of DuckDB's own #}
SET enable_progress_bar = FALSE
