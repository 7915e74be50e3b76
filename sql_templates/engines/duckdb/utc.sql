{# out: timestamps with a time zone are read and written in UTC, wherever the machine stands #}
SET TimeZone = 'UTC'
