{# What the text of columns holds, by regular expressions and check digits. A number with check
   digits is the first in a text.
   grain: one row per column, in order; none for a column without values
   in: relation, columns (each the name and type, with the beginnings of the hashes of values that are
       looked at; none: all are), titles (texts, each with what it is replaced by), sentence (an
       expression), numbers (names, each with the expression of a number between what is no part of
       it, and of the number alone), letters (each with its numbers in an account's number and a
       pension's), weights (of seven digits each of an account's number), card_digits and
       pension_digits (for each digit, what stands for it in the sum), person_letters, expressions
       (names are last)
   out: (position, rows of the values that were looked at, rows whose value is a sentence and no
       other row's, rows whose value names somebody and is no other row's; for each of numbers rows
       that have it and those of which its check digits are right; for each of expressions rows
       that match it) #}
{% from 'risks/contents/macros.sql' import content %}
SELECT
    c.position,
    CAST(SUM(c.n) AS BIGINT) AS filled,
    COUNT(*) FILTER (WHERE c.n = 1 AND REGEXP_MATCHES(c.v, {{ sentence | literal }})) AS sentences,
    COUNT(*) FILTER (WHERE c.n = 1 AND c.named > 0) AS single
    {% for number in numbers %}
    , COALESCE(CAST(SUM(CASE WHEN c.{{ number[0] | ident }} <> '' THEN c.n END) AS BIGINT), 0)
        AS {{ ('of_' ~ number[0]) | ident }}
    , COALESCE(CAST(SUM(CASE WHEN c.{{ number[0] | ident }} <> '' AND
        {% if number[0] == 'account' %}
        (0 {% for weight in weights %}
        + CAST(SUBSTR(c.account_padded, {{ (7 * loop.index0 + 1) | integer }}, 7) AS BIGINT)
        * {{ weight | integer }}
        {% endfor %}) % 97 = 1
        {% elif number[0] in ('card', 'pension') %}
        {% with sums = card_digits if number[0] == 'card' else pension_digits %}
        (0 {% for digits in sums %}
        + CAST(SUBSTR({{ digits | literal }}, CAST(SUBSTR(c.{{ (number[0] ~ '_padded') | ident }},
            {{ loop.index | integer }}, 1) AS INT) + 1, 1) AS INT)
        {% endfor %}) % 10 = 0
        {% endwith %}
        {% elif number[0] == 'person' %}
        SUBSTR({{ person_letters | literal }}, CAST(c.person_padded AS INT) % 23 + 1, 1)
            = SUBSTR(c.person, 9, 1)
        {% else %}
        (CAST(SUBSTR(c.keyed_padded, 1, 13) AS BIGINT)
            + CAST(SUBSTR(c.keyed_padded, 14, 2) AS BIGINT)) % 97 = 0
        {% endif %}
        THEN c.n END) AS BIGINT), 0) AS {{ ('right_' ~ number[0]) | ident }}
    {% endfor %}
    {% for expression in expressions %}
    , CAST(SUM(c.{{ ('m' ~ loop.index) | ident }}) AS BIGINT) AS {{ ('s' ~ loop.index) | ident }}
    {% endfor %}
FROM (
    SELECT
        b.position, b.v, b.n, b.account, b.card, b.pension, b.person, b.keyed,
        {% for expression in expressions %}
        CASE WHEN REGEXP_MATCHES(b.v, {{ expression | literal }}) THEN b.n ELSE 0 END
            AS {{ ('m' ~ loop.index) | ident }},
        {% endfor %}
        CASE WHEN REGEXP_MATCHES(b.v, {{ expressions[-1] | literal }}) THEN 1 ELSE 0 END AS named,
        LPAD({% for letter in letters %}REPLACE({% endfor %}
            SUBSTR(b.account, 5) || SUBSTR(b.account, 1, 4)
            {% for letter in letters %}
            , {{ letter[0] | literal }}, {{ letter[1] | literal }})
            {% endfor %}, 70, '0') AS account_padded,
        LPAD(b.card, 16, '0') AS card_padded,
        LPAD({% for letter in letters %}REPLACE({% endfor %}
            b.pension
            {% for letter in letters %}
            , {{ letter[0] | literal }}, {{ letter[2] | literal }})
            {% endfor %}, 13, '0') AS pension_padded,
        LPAD(SUBSTR(b.person, 1, 8), 8, '0') AS person_padded,
        LPAD(b.keyed, 15, '0') AS keyed_padded
    FROM (
        SELECT
            {% for number in numbers %}
            COALESCE(REPLACE(REPLACE(REGEXP_EXTRACT(REGEXP_EXTRACT(d.v, {{ number[1] | literal }}),
                {{ number[2] | literal }}), ' ', ''), '-', ''), '') AS {{ number[0] | ident }},
            {% endfor %}
            {% for title in titles %}REPLACE({% endfor %}
            d.v
            {% for title in titles %}
            , {{ title[0] | literal }}, {{ title[1] | literal }})
            {% endfor %} AS v,
            d.n,
            d.position
        FROM (
            {% for name, type, beginnings in columns %}
            SELECT
                {{ loop.index | integer }} AS position,
                {{ content(name, type) }} AS v,
                COUNT(*) AS n
            FROM {{ relation | ident }} AS s
            WHERE s.{{ name | ident }} IS NOT NULL
            {% if beginnings %}
            AND SUBSTR(MD5({{ content(name, type) }}), 1, 2) IN ({{ beginnings | literals }})
            {% endif %}
            GROUP BY {{ content(name, type) }}
            {% if not loop.last %}UNION ALL{% endif +%}
            {% endfor %}
        ) AS d
    ) AS b
) AS c
GROUP BY c.position
ORDER BY c.position
