{# in: lists of (search_key, node, groups, smallest, classes, min_class, suppressed, squares), bound
   out: appended #}
INSERT INTO class_sizes SELECT UNNEST(?), UNNEST(?), UNNEST(?), UNNEST(?), UNNEST(?), UNNEST(?), UNNEST(?), UNNEST(?)
