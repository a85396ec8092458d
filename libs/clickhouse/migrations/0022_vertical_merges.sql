-- A merge of 17,000 calls had all columns of seven parts in memory at once, 250 MiB. From this many rows on, columns are merged one by one.
ALTER TABLE calls MODIFY SETTING vertical_merge_algorithm_min_rows_to_activate = 8192;

ALTER TABLE call_events MODIFY SETTING vertical_merge_algorithm_min_rows_to_activate = 8192;
