{# in: run, status
   out: the run is marked as ended #}
UPDATE runs SET ended = CURRENT_TIMESTAMP, status = {{ status | literal }} WHERE run = {{ run | integer }}
