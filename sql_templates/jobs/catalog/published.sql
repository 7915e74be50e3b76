{# in: run, report (JSON), made_from (or none)
   out: what the run published and from what #}
UPDATE runs SET report = {{ report | literal }}, made_from = {{ made_from | literal }}
    WHERE run = {{ run | integer }}
