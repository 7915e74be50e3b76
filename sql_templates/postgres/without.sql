{# in: what kept/without asks for, its hashes made by this engine
   out: as that has it #}
{% include 'kept/without.sql' %}
