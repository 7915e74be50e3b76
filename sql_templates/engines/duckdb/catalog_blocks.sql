{# grain: one row per block of an attached file that its catalog lies in
   in: database
   out: (number of the block, numbers of its parts that are not used) #}
SELECT m.block_id, m.free_list
FROM PRAGMA_METADATA_INFO({{ database | literal }}) AS m
