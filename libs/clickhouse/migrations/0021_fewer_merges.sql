-- Parts are merged when together they are about ten times as large as the largest of them, instead of five times. At half load, half
-- of the CPU of ClickHouse was merges of small parts. These tables are read by key or seldom; `calls` keeps five.
ALTER TABLE call_events MODIFY SETTING merge_selector_base = 10;

ALTER TABLE receipts MODIFY SETTING merge_selector_base = 10;

ALTER TABLE root_usage MODIFY SETTING merge_selector_base = 10;
