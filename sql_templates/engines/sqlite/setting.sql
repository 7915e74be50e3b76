{# in: setting
   out: no log beside the scratch file, which nobody else reads (quiet), and nothing waits for the
       disk (fast); views may not call functions with side effects (careful); more memory for pages
       (memory); LIKE minds case (like); what a file says of its objects can be written
       (schema), and no longer (no schema) #}
{% if setting == 'quiet' %}PRAGMA main.journal_mode = MEMORY
{% elif setting == 'fast' %}PRAGMA main.synchronous = OFF
{% elif setting == 'careful' %}PRAGMA trusted_schema = OFF
{% elif setting == 'memory' %}PRAGMA main.cache_size = -262144
{% elif setting == 'schema' %}PRAGMA writable_schema = ON
{% elif setting == 'no schema' %}PRAGMA writable_schema = OFF
{% else %}PRAGMA case_sensitive_like = ON
{% endif %}
