{# in: mariadb (whether the server is MariaDB and not MySQL)
   out: a session in UTC; joins without an index go by hashes (MariaDB hashes the rows of the left
       side, a buffer at a time: one that fits the processor's cache), and are planned in no time;
       statements that write what they read do not lock it; long texts are joined and sorted
       whole #}
SET SESSION
    time_zone = '+00:00',
    group_concat_max_len = 1000000000,
    lock_wait_timeout = 60,
    innodb_lock_wait_timeout = 60,
    optimizer_search_depth = 3,
    max_sort_length = 65536,
    sort_buffer_size = 33554432,
    tmp_table_size = 268435456,
    max_heap_table_size = 268435456,
{% if mariadb %}
    tx_isolation = 'READ-COMMITTED',
    join_cache_level = 8,
    join_buffer_size = 1048576,
    join_buffer_space_limit = 536870912
{% else %}
    transaction_isolation = 'READ-COMMITTED',
    join_buffer_size = 67108864
{% endif %}
