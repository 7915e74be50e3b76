{# in: begins (whether it begins or ends)
   out: a transaction begins, or ends #}
{% if begins %}BEGIN{% else %}COMMIT{% endif %}
