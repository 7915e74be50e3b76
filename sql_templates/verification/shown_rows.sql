{# The rows that are to be released, by name, as they are released, with the values that promises
   are about.
   grain: one row per row
   in: source (the rows that are to be released), key (a column), attributes, dim_<index>, levels,
       coded, ledger_secret, hash (the engine's template of a keyed hash)
   out: table shown_rows(h, t<index>: the label, never NULL, y<n>: the value, hashed) #}
CREATE TABLE shown_rows AS
SELECT
    {% with hashed = ['s', 'w'] %}{% include hash ~ '.sql' %}{% endwith %} AS h{% for a in attributes %},
    s.t#{% endfor %}{% for a in coded %},
    {% with hashed = ['s', 'q' ~ a.index] %}{% include hash ~ '.sql' %}{% endwith %}
        AS y{{ loop.index | integer }}{% endfor +%}
FROM (
    SELECT
        CAST({{ key | value('o') }} AS VARCHAR) AS w{% for a in attributes %},
        COALESCE('=' || {% with side = 'o', level = levels[a.index] %}
            {%- include 'verification/label.sql' %}{% endwith %}, '') AS t#{% endfor %}{%
            for a in coded %},
        CAST({{ a | value('o') }} AS VARCHAR) AS q#{% endfor +%}
    FROM {{ source | ident }} AS o
    {% for a in attributes %}
    LEFT JOIN dim_# AS h# ON {{ a | value('o') }} = h#.value
    {% endfor %}
) AS s
