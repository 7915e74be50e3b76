{# Values as they are released.
   out: macros #}

{# A column that is kept as it is; of one that is replaced, what it is replaced for.
   in: r (released column); s is the source
   out: an expression #}
{% macro kept(r) %}
{% if not r.replaced and r.column.type != r.type %}
CAST(s.{{ r.column.name | ident }} AS {{ r.type | sql_type }})
{%- else %}
s.{{ r.column.name | ident }}
{%- endif %}
{% endmacro %}

{# What a column is replaced by. Surrogates count the values from 1, in an order that only a secret
   salt knows; NULL, and a value of masked rows alone, has none.
   in: r (released column), value (a reference to what is replaced), present (a reference that is
       NULL in masked rows; none where no rows are masked), fresh_salt
   out: an expression #}
{% macro replacement(r, value, present) %}
{% if r.replaced == 'surrogate' %}
CASE
    WHEN {{ value | ident }} IS NOT NULL
        {% if present %}
        AND {{ present | ident }} IS NOT NULL
        {% endif %}
    THEN CAST(DENSE_RANK() OVER (
        ORDER BY
            {% if present %}
            CASE WHEN {{ present | ident }} IS NOT NULL THEN
            {% endif %}
            MD5((SELECT z.salt FROM fresh_salt AS z)
                || {{ ('value ' ~ r.position ~ ' ') | literal }}
                || CAST({{ value | ident }} AS VARCHAR))
            {% if present %}
            END
            {% endif %}
            NULLS LAST
    ) AS BIGINT)
END
{%- elif r.replaced == 'null' and r.column.type != r.type %}
CAST(CASE WHEN FALSE THEN {{ value | ident }} END AS {{ r.type | sql_type }})
{%- elif r.replaced == 'null' %}
CASE WHEN FALSE THEN {{ value | ident }} END
{%- else %}
'*'
{%- endif %}
{% endmacro %}

{# A column of a full-domain generalization that has no labels: kept as it is, or replaced.
   in: r (released column), links and masked (see release/rows); what release/generalized gives
   out: an expression #}
{% macro unlabelled(r, links, masked) %}
{% if r.position in links %}
k{{ r.position | integer }}.surrogate
{%- elif r.replaced %}
{{ replacement(r, ['s', r.column.name], ['x', 'n'] if masked else none) }}
{%- elif masked and r.hidden %}
CASE WHEN x.n IS NOT NULL THEN {{ kept(r) }} END
{%- else %}
{{ kept(r) }}
{%- endif %}
{% endmacro %}

{# A label of a quasi-identifying column at a level, or a bound of what it stands for; of a masked row
   * and NULL.
   in: r (released column), level, present (a reference that is NULL in masked rows; none where no
       rows are masked); d<index>, which has the columns v<level>, lo<level>, hi<level> of dim_<index>
   out: an expression #}
{% macro generalized(r, level, present) %}
{% if present %}
CASE WHEN {{ present | ident }} IS NULL THEN {% if r.kind == 'label' %}'*'{% else %}NULL{% endif %} ELSE
{% endif %}
{% if r.kind != 'label' %}
d{{ r.attribute.index | integer }}.{{ (r.kind ~ level) | ident }}
{%- elif r.attribute.null_labels is not none and r.attribute.null_labels[level] is not none %}
COALESCE(d{{ r.attribute.index | integer }}.v{{ level | integer }},
    {{ r.attribute.null_labels[level] | literal }})
{%- else %}
d{{ r.attribute.index | integer }}.v{{ level | integer }}
{%- endif %}
{% if present %} END{% endif %}
{% endmacro %}

{# A label of a group, a bound of what it stands for, or a mean or median; * for a row of no group.
   in: r (released column), masked (whether there are rows of no group); x is groups, y averages,
       joined to the rows
   out: an expression #}
{% macro of_group(r, masked) %}
{% if r.kind == 'label' and masked %}
CASE WHEN x.grp IS NULL THEN '*' ELSE x.v{{ r.attribute.index | integer }} END
{%- elif r.kind == 'label' %}
x.v{{ r.attribute.index | integer }}
{%- elif r.averaged %}
y.a{{ r.position | integer }}
{%- else %}
x.{{ (r.kind ~ r.attribute.index) | ident }}
{%- endif %}
{% endmacro %}

{# The keys of the sort, column by column: a value where all engines put the values of its type into
   one order, else its text, byte by byte; both where equal values can have different texts.
   in: columns (name, order: 'value', 'text' or 'both'); r has them
   out: keys of ORDER BY #}
{% macro keys(columns) %}
{% for c in columns %}
{% if c.order != 'text' %}r.{{ c.name | ident }} NULLS FIRST{% endif %}
{% if c.order == 'both' %}, {% endif %}
{% if c.order != 'value' %}CAST(r.{{ c.name | ident }} AS VARCHAR) COLLATE "C" NULLS FIRST{% endif %}
{% if not loop.last %}, {% endif %}
{% endfor %}
{% endmacro %}
