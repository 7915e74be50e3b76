{# Which tables bear some names at this moment, whatever the transaction's snapshot says.
   grain: one row
   in: tables (with their schema)
   out: the number of each, NULL where there is none #}
SELECT {% for table in tables %}CAST(TO_REGCLASS({{ table | ident | literal }}) AS OID){% if not loop.last %}, {% endif %}{% endfor %}
