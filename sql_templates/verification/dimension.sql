{# A dimension table inside a statement, its hierarchy's parameters taken from the attribute.
   in: a (attribute), combinations, leaves_<index> where it is given leaf by leaf
   out: a SELECT, see hierarchies/grouped #}
{% with p = a.parameters %}
{% with widths = p.get('widths'), origin = p.get('origin'), limit = p.get('limit'),
    scale = p.get('scale'), label_scale = p.get('label_scale'), integral = p.get('integral'),
    rounded = p.get('rounded'), through_text = p.get('through_text'), unit = p.get('unit'),
    length = p.get('length'), start = p.get('start'), units = p.get('units'),
    type = p.get('type'), step = p.get('step'), spellings = p.get('spellings'),
    other = p.get('other'), keys = p.get('keys'), least = p.get('least'), zeros = p.get('zeros') %}
{% include 'hierarchies/grouped.sql' %}
{% endwith %}
{% endwith %}
