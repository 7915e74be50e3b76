{# in: table, columns [(name, type)], temporary (the session's schema of temporary tables has it)
   out: an empty scratch table; its text is compared byte by byte #}
CREATE {% if not temporary %}UNLOGGED {% endif %}TABLE {{ table | ident }} (
{% for name, type in columns %}
    {{ name | ident }} {{ type | sql_type }}{% if type == 'TEXT' %}
        COLLATE "C"{% endif %}{% if not loop.last %},{% endif +%}
{% endfor %}
)
