{# in: run, status, error (its message, or none)
   out: the run is marked as ended #}
UPDATE runs SET ended = CURRENT_TIMESTAMP, status = {{ status | literal }},
    error = {{ error | literal }} WHERE run = {{ run | integer }}
