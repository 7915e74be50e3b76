{# Create a scratch table. Its text has the collation "C", so that it is compared byte by byte, as
   on every engine.
   in: table, columns [(name, type)], temporary (whether the table is made in the session's schema
       of temporary tables, where it cannot be UNLOGGED)
   out: the empty table #}
CREATE {% if not temporary %}UNLOGGED {% endif %}TABLE {{ table | ident }} (
{% for name, type in columns %}
    {{ name | ident }} {{ type | sql_type }}{% if type == 'TEXT' %}
        COLLATE "C"{% endif %}{% if not loop.last %},{% endif +%}
{% endfor %}
)
