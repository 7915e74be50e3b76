{# in: table, columns [(name, type)]
   out: an empty scratch table; its text is compared byte by byte #}
CREATE UNLOGGED TABLE {{ table | ident }} (
{% for name, type in columns %}
    {{ name | ident }} {{ type | sql_type }}{% if type == 'TEXT' %}
        COLLATE "C"{% endif %}{% if not loop.last %},{% endif +%}
{% endfor %}
)
