{# Classes whose least and greatest value lie too near each other, as a share of the column's range.
   grain: one row per such class
   in: see privacy/l_diversity/span_plain
   out: see privacy/l_diversity/span_plain #}
{% include 'privacy/l_diversity/span_plain.sql' %}
