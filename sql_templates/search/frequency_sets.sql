{# Frequency sets kept for others to be rolled up from.
   grain, in, out: as search/rolled_up says, in the table `table` #}
CREATE TABLE {{ table | ident }} AS
{% include 'search/rolled_up.sql' %}
