{# in: threads (or none), version (as a number)
   out: a session that writes every value one way, waits for no reader longer than a minute, takes
       as long as it needs
   otherwise, and reads all rows or none (row_security); that a row comes from a parallel worker
   costs next to nothing here, where all statements read whole tables #}
SELECT
    SET_CONFIG('client_encoding', 'UTF8', FALSE),
    SET_CONFIG('TimeZone', 'UTC', FALSE),
    SET_CONFIG('DateStyle', 'ISO, YMD', FALSE),
    SET_CONFIG('IntervalStyle', 'postgres', FALSE),
    SET_CONFIG('bytea_output', 'hex', FALSE),
    SET_CONFIG('standard_conforming_strings', 'on', FALSE),
    SET_CONFIG('row_security', 'off', FALSE),
    SET_CONFIG('jit', 'off', FALSE),
    SET_CONFIG('work_mem', '64MB', FALSE),
    SET_CONFIG('parallel_tuple_cost', '0.01', FALSE),
    SET_CONFIG('statement_timeout', '0', FALSE),
    SET_CONFIG('idle_in_transaction_session_timeout', '0', FALSE),
    SET_CONFIG('lock_timeout', '60s', FALSE)
{% if version >= 120000 %}
    , SET_CONFIG('extra_float_digits', '1', FALSE)
{% endif %}
{% if version >= 140000 %}
    , SET_CONFIG('client_connection_check_interval', '2s', FALSE)
    , SET_CONFIG('idle_session_timeout', '0', FALSE)
{% endif %}
{% if version >= 170000 %}
    , SET_CONFIG('transaction_timeout', '0', FALSE)
{% endif %}
{% if threads %}
    , SET_CONFIG('max_parallel_workers_per_gather',
        CAST({{ (threads - 1) | integer }} AS TEXT), FALSE)
{% endif %}
