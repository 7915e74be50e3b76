"""Who is left out where rows are suppressed: by column and value, the share that is released.

The rows that a method suppresses are those that few others are like, so whole groups of people may
vanish while the table as a whole loses little. Rows that are kept as ``*`` count as lost, too: what
is analysed of a group needs its values. Of values that fewer than k rows of the source have only
their number is told.
"""
