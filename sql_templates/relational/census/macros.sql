{# What may be known of somebody, from what the rows of a person offer.

   Rows that refer to a row (or a person) each offer it kinds of what may be known: themselves, or
   something below them. Of each kind an entry says how many of these rows offer it, and the first
   and the last of them. Kinds are known together if different rows offer them: the rows that offer
   some of the kinds must be at least as many as these (Hall, 1935), and those of kinds that only
   one or two rows offer are the first and the last.
   out: macros #}

{# Whether different rows offer two kinds.
   in: a, b (entries)
   out: a condition #}
{% macro apart(a, b) %}
CASE WHEN {{ a | ident }}.t = {{ b | ident }}.t THEN {{ a | ident }}.n > 1
    ELSE {{ a | ident }}.n > 1 OR {{ b | ident }}.n > 1
        OR {{ a | ident }}.lo <> {{ b | ident }}.lo END
{%- endmacro %}

{# Whether different rows offer three kinds, of which they offer each two.
   in: a, b, d (entries)
   out: a condition #}
{% macro all_apart(a, b, d) %}
({% for e in (a, b, d) %}
{{ e | ident }}.n > 2
OR ({{ e | ident }}.lo <> LEAST({{ a | ident }}.lo, {{ b | ident }}.lo, {{ d | ident }}.lo)
    AND {{ e | ident }}.lo <> GREATEST({{ a | ident }}.hi, {{ b | ident }}.hi, {{ d | ident }}.hi))
OR ({{ e | ident }}.hi <> LEAST({{ a | ident }}.lo, {{ b | ident }}.lo, {{ d | ident }}.lo)
    AND {{ e | ident }}.hi <> GREATEST({{ a | ident }}.hi, {{ b | ident }}.hi, {{ d | ident }}.hi))
{% if not loop.last %}OR{% endif +%}
{% endfor %})
{%- endmacro %}

{# Kinds that are known together of whoever holds them.
   in: entries (a table), columns (names of columns of it), least and most (how many rows are known
       by them), alone (whether single kinds are, too), some (see relational/census/counts), kinds
       (names of columns of them: t1 … as many as rows may be known)
   out: a SELECT of (columns, kinds: 0 of none) #}
{% macro together(entries, columns, least, most, alone, some, kinds) %}
{% if alone %}
SELECT {{ columns | idents('a') }}, a.t AS t1{{ kinds[1:] | each(', 0 AS @') }}
FROM {{ entries | ident }} AS a
WHERE a.w BETWEEN {{ least | integer }} AND {{ most | integer }} {{ and_some(some) }}
{% endif %}
{% if most > 1 %}
{% if alone %}UNION ALL{% endif +%}
SELECT {{ columns | idents('a') }}, a.t AS t1, b.t AS t2{{ kinds[2:] | each(', 0 AS @') }}
FROM {{ entries | ident }} AS a
JOIN {{ entries | ident }} AS b ON b.holder = a.holder AND b.t >= a.t
WHERE a.w BETWEEN 1 AND {{ (most - 1) | integer }} AND b.w BETWEEN 1 AND {{ (most - 1) | integer }}
    {% if most > 2 %}
    AND a.w + b.w BETWEEN {{ least | integer }} AND {{ most | integer }}
    {% endif %}
    AND {{ apart('a', 'b') }} {{ and_some(some) }}
{% endif %}
{% if most > 2 %}
UNION ALL
SELECT {{ columns | idents('a') }}, a.t AS t1, b.t AS t2, d.t AS t3
FROM {{ entries | ident }} AS a
JOIN {{ entries | ident }} AS b ON b.holder = a.holder AND b.t >= a.t
JOIN {{ entries | ident }} AS d ON d.holder = b.holder AND d.t >= b.t
WHERE a.w = 1 AND b.w = 1 AND d.w = 1
    AND {{ apart('a', 'b') }} AND {{ apart('b', 'd') }} AND {{ apart('a', 'd') }}
    AND (a.t <> d.t OR a.n > 2) AND {{ all_apart('a', 'b', 'd') }} {{ and_some(some) }}
{% endif %}
{%- endmacro %}

{# The parts of all combinations, by class of the person and first kind, that are looked at.
   in: some (the first part, the one after the last, of how many; none: all)
   out: nothing or a condition behind others #}
{% macro and_some(some) %}
{% if some %}
AND (a.own * 7919 + ABS(a.t)) % {{ some[2] | integer }}
    BETWEEN {{ some[0] | integer }} AND {{ (some[1] - 1) | integer }}
{% endif %}
{%- endmacro %}
