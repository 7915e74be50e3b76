{# in: what risks/kept/without asks for, its hashes made by this engine
   out: as that has it #}
{% include 'risks/kept/without.sql' %}
