{# The rows that are to be released, by name, as they are released, with the values that promises
   are about.
   grain: one row per row
   in: source (the rows that are to be released), key (a column), attributes, levels {index: level},
       shown_labels_<index>, coded, ledger_secret, hash (the engine's template of a keyed hash)
   out: table shown_rows(h, t<index>: the number of the label, 0: none, y<n>: the value,
       hashed) #}
CREATE TABLE shown_rows AS
SELECT
    {{ attributes | each('s.t#,') }}
    {% for a in coded %}
    {% with hashed = ['s', 'q' ~ a.index] %}{% include hash ~ '.sql' %}{% endwith %}
        AS {{ ('y' ~ loop.index) | ident }},
    {% endfor %}
    {% with hashed = ['s', 'w'] %}{% include hash ~ '.sql' %}{% endwith %} AS h
FROM (
    SELECT
        {{ coded | each('CAST(@(o) AS VARCHAR) AS q#,') }}
        {% for a in attributes %}
        COALESCE(
            g#.t,
            {% if a.null_labels is not none and a.null_labels[levels[a.index]] is not none %}
            (
                SELECT MAX(z.t)
                FROM {{ ('shown_labels_' ~ a.index) | ident }} AS z
                WHERE z.label = {{ a.null_labels[levels[a.index]] | literal }}
            ),
            {% endif %}
            0
        ) AS t#,
        {% endfor %}
        CAST({{ key | value('o') }} AS VARCHAR) AS w
    FROM {{ source | ident }} AS o
    {{ attributes | each('LEFT JOIN shown_labels_# AS g# ON g#.value = @(o)') }}
) AS s
