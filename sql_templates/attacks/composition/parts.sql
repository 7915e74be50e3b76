{# The rows of the source with their classes where these are known. Of rows that are open in one
   release alone the numbers are: of n rows of a block of b, m of which were released, m - (b - n)
   at the least were, and n - m at the least were not. That is exact where all of the block are
   there; else the least numbers stand for the rows, where both are k or more.
   grain: one row per group, two per group that is open in one release
   in: together_groups, releases (places), entity (whether
       who is there: then of rows that are open nothing is known), k
   out: table together_parts(e<place>, who, n: at the least, size: rows that it stands for) #}
CREATE TABLE together_parts AS
SELECT
    {{ releases | each('g.e#,') }}
    {% if entity %}
    g.who,
    {% endif %}
    g.n,
    g.n AS size
FROM together_groups AS g
WHERE g.open = 0
{% if not entity %}
{% for place in releases %}
{% for is_in in (true, false) %}
UNION ALL
SELECT
    {% for each in releases %}
    {% if each == place and not is_in %}
    {{ each | sql('0 AS e#,') }}
    {% else %}
    {{ each | sql('p.e#,') }}
    {% endif %}
    {% endfor %}
    {% if is_in %}
    p.least_in AS n,
    p.n - p.least_out AS size
    {% else %}
    p.least_out AS n,
    p.least_out AS size
    {% endif %}
FROM (
    SELECT
        g.*,
        GREATEST({{ place | sql('g.m# - (g.b# - g.n)') }}, 0) AS least_in,
        GREATEST({{ place | sql('g.n - g.m#') }}, 0) AS least_out
    FROM together_groups AS g
    WHERE g.open = 1 AND {{ place | sql('g.o# <> 0') }}
) AS p
WHERE {{ place | sql('p.n = p.b#') }}
    OR (p.least_in >= {{ k | integer }} AND p.least_out >= {{ k | integer }})
{% endfor %}
{% endfor %}
{% endif %}
