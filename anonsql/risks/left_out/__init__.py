"""Who is left out where rows are suppressed: by column and value, the share that is released.
Suppressed rows are those that few others are like, so whole groups of people may vanish while the
table as a whole loses little. Rows kept as ``*`` count as lost. Values of fewer than k rows are
only counted."""
