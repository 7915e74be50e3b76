{# in: seconds
   out: until the transaction ends, statements wait no longer for a lock #}
SELECT SET_CONFIG('lock_timeout', CAST({{ seconds | integer }} AS TEXT) || 's', TRUE)
