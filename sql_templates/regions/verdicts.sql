{# Which of the parts that regions would be cut into keep the promise.
   grain: one row per region, attribute, variant and slot
   in: table (children or slots), keys (part, attribute, level, variant, slot, worth, domain), promise, into
   out: table <into>(keys, n, ok) #}
CREATE TABLE {{ into | ident }} AS
{% include 'models/classes.sql' %}
