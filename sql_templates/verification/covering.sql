{# Whether what is released stands for a value: its label at a level that may be released, or an
   interval or a set that holds it.
   in: a (attribute), forms, u (label, lo and hi where there are bounds, listed where labels are
       sets), d (the value's row of dim_<index>, with element where labels are sets), for a range e
       and f (those of the ends)
   out: a condition #}
    {% for level in range(a.min_level, a.max_level + 1) %}
        COALESCE(
            {{ level | sql('d.v# = u.label') }},
            {{ level | sql('d.v# IS NULL AND u.label IS NULL AND d.code IS NOT NULL') }}
        )
        {% if a.bounds_type %}
        {{ level | sql('AND COALESCE(d.lo# = u.lo, d.lo# IS NULL AND u.lo IS NULL)') }}
        {{ level | sql('AND COALESCE(d.hi# = u.hi, d.hi# IS NULL AND u.hi IS NULL)') }}
        {% endif %}
        {% if not loop.last %}OR{% endif +%}
    {% endfor %}
    {% if forms[a.index] == 'range' %}
        OR COALESCE(
            d.value >= e.value AND d.value <= f.value
            AND u.label = '[' || e.v0 || ',' || f.v0 || ']',
            FALSE
        )
    {% elif forms[a.index] == 'set' %}
        OR COALESCE(
            POSITION(d.element IN u.listed) > 0
            {% if a.bounds_type %}
            AND COALESCE({{ a.min_level | sql('d.lo# >= u.lo') }}, u.lo IS NULL)
            AND COALESCE({{ a.min_level | sql('d.hi# <= u.hi') }}, u.hi IS NULL)
            {% endif %},
            FALSE
        )
    {% endif %}
