{# The path that this role's sessions have by themselves; the run's own is another.
   grain: one row
   out: (search_path as its owner wrote it, role) #}
SELECT s.reset_val, CURRENT_USER FROM pg_settings AS s WHERE s.name = 'search_path'
