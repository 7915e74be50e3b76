{# The dimension table of one attribute (Incognito, Fig. 4), integer-coded.
   A group at any level is named by the smallest code of its members, so that one join on code generalizes a
   frequency set from whatever level it is at to any higher one. Codes are in the order of the values, or of the leaves as
   they are given. NULL has the code 0.
   grain: one row per leaf, and one for NULL when the data or the hierarchy has it
   in: attribute (template: a SELECT of its values and labels, and what that takes; null_labels: its labels from level 0 to the top, or none)
   out: table dim_<index>(code, value, v<l>, g<l> group code, leaves<l> leaves in the group, lo<l>, hi<l>) #}
CREATE TABLE dim_{{ a.index | integer }} AS
{% include 'hierarchies/grouped.sql' %}
