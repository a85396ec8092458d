-- Redis forgets a fact once it is settled, so everything that no rebuild can derive from another table is on disk (fsync)
-- before that: receipts, the log of records, the rows and files that this log refers to, and the audit log.
ALTER TABLE receipts MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;

ALTER TABLE record_events MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;

ALTER TABLE table_positions MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;

ALTER TABLE table_rows MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;

ALTER TABLE files MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;

ALTER TABLE audit MODIFY SETTING fsync_after_insert = 1, fsync_part_directory = 1;
