{# A number as whole units of its last digit that counts; NULL adds nothing.
   in: m (a sum: its column, scale), side (the relation it comes from)
   out: an expression #}
{% if m.integral and m.scale == 0 %}
CAST(COALESCE({{ side | ident }}.{{ m.column.name | ident }}, 0) AS BIGINT)
{%- else %}
CAST(FLOOR(COALESCE({{ side | ident }}.{{ m.column.name | ident }}, 0)
    * {{ m.unit | integer }} + 0.5) AS BIGINT)
{%- endif %}
