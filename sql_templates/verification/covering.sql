{# Whether what is released stands for a value: its label at a level that may be released, or an
   interval or a set that holds it.
   in: a (attribute), i (its index), forms, u (label, lo and hi where there are bounds), d (the
       value's row of dim_<index>), for a range
       e and f (those of the ends)
   out: a condition #}
    {% for level in range(a.min_level, a.max_level + 1) %}
        COALESCE(d.v{{ level | integer }} = u.label, d.v{{ level | integer
            }} IS NULL AND u.label IS NULL AND d.code IS NOT NULL)
        {% if a.bounds_type %}
        AND COALESCE(d.{{ ('lo' ~ level) | ident }} = u.lo, d.{{ ('lo' ~ level) | ident
            }} IS NULL AND u.lo IS NULL)
        AND COALESCE(d.{{ ('hi' ~ level) | ident }} = u.hi, d.{{ ('hi' ~ level) | ident
            }} IS NULL AND u.hi IS NULL)
        {% endif %}
        {% if not loop.last %}OR{% endif +%}
    {% endfor %}
    {% if forms[i] == 'range' %}
        OR COALESCE(d.value >= e.value AND d.value <= f.value AND u.label = '[' || e.v0 || ',' || f.v0 || ']', FALSE)
    {% elif forms[i] == 'set' %}
        OR COALESCE(LEFT(u.label, 1) = '{' AND {% if a.bounds_type %}COALESCE(d.lo{{ a.min_level |
            integer }} >= u.lo AND d.hi{{ a.min_level | integer
                }} <= u.hi, u.lo IS NULL AND u.hi IS NULL) AND {% endif %}POSITION(
            ', ' || {% with value = ['d', 'v' ~ a.min_level] %}{% include 'verification/element.sql'
                %}{% endwith %} || ',' IN ', ' || SUBSTR(u.label, 2, LENGTH(u.label) - 2) || ','
        ) > 0, FALSE)
    {% endif %}
