{# Whether the planner chooses the sides of joins. As they are written, the rows of the left side
   come out in their order.
   in: chosen
   out: the setting of this connection #}
SET disabled_optimizers = {% if chosen %}''{% else %}'join_order,build_side_probe_side'{% endif %}
