{# The values that queries ask for, from their conditions: all of them must be kept, each by one of
   its words.
   grain: one row per query and value
   in: a (column), domain_<index>, conditions_<index>(query, condition, conditions, operator, word)
   out: table predicates_<index>(query, code) #}
CREATE TABLE predicates_# AS
SELECT p.query, d.code
FROM domain_# AS d
JOIN conditions_# AS p
    ON (p.operator = '=' AND d.value = p.word)
    OR (p.operator = '<>' AND d.value <> p.word)
{% for operator in ('<', '<=', '>', '>=') %}
    OR (p.operator = {{ operator | literal }}
        AND d.value{% if a.column.kind == 'text' %} COLLATE "C"{% endif +%}
    {% if operator == '<' %}<{% elif operator == '<=' %}<={% elif operator == '>' %}>
        {% else %}>={% endif %} p.word)
{% endfor %}
GROUP BY p.query, d.code
HAVING COUNT(DISTINCT p.condition) = MAX(p.conditions)
