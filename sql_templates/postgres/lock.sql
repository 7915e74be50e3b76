{# in: key (a number)
   out: (whether this session holds the lock of that number now) #}
SELECT PG_TRY_ADVISORY_LOCK({{ key | integer }})
