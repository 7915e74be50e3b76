{# Runs that never ended: whoever holds the catalog knows that nobody else runs.
   out: they are marked #}
UPDATE runs SET status = 'killed' WHERE status = 'running'
