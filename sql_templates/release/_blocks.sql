-- name: facts
{# A small table of what may be told about a release.
   in: facts (rows, the last cell of each its place), typed [(column, type)], ordering
   out: those rows and the ordering #}
SELECT
{% for name, type in typed %}
    CAST(f.{{ name | ident }} AS {{ type | sql_type }}) AS {{ name | ident }},
{% endfor %}
    f.{{ ordering | ident }}
FROM (VALUES {{ facts | rows }})
    AS f ({% for name, type in typed %}{{ name | ident }}, {% endfor %}{{ ordering | ident }})

-- name: labels
{# The labels of the hierarchies that are released.
   grain: one row per column, level and leaf
   in: published_labels (no data: what the policy says), titles (of its columns)
   out: those columns #}
SELECT
    {{ titles | idents('h') }}
FROM published_labels AS h

-- name: sampled
{# The rows of the source that a random sample has: each is kept with the same probability, by the
   first ten hexadecimal digits of a hash that only a secret salt knows.
   grain: one row per row that is kept
   in: source, names (of its columns), limit (draws below it are kept, of 2^40), numbered (the
       engine's template of a hexadecimal number), fence (that of its fence, or none), fresh_salt
   out: the columns #}
SELECT {{ names | idents('h') }}
FROM (
    {% include 'release/hashed.sql' %}
) AS h
WHERE {% with digits = ['h', 'hash of row'], start = 1 %}{% include numbered ~ '.sql' %}{% endwith %}
    < {{ limit | integer }}

-- name: staged_view
{# in: view, select (a template), tables (relations by part), and what the template takes besides
   out: the view #}
CREATE VIEW {{ view | ident }} AS
{% include select ~ '.sql' %}

-- name: starred
{# Released classes that are * in every quasi-identifying column although nothing is suppressed in
   them: masked rows could not be told from them.
   grain: one row
   in: classes (c1 …, n, ok), attributes, levels, dim_<index>
   out: how many #}
SELECT COUNT(*) AS classes
FROM {{ classes | ident }} AS x
{% for a in attributes %}
JOIN dim_# AS d# ON d#.code = x.c# AND d#.v{{ levels[a.index] | integer }} = '*'
{% endfor %}
WHERE x.ok
