-- Where a default price comes from, as its price book says. Empty for prices of projects, and for defaults from before this column.
ALTER TABLE prices ADD COLUMN IF NOT EXISTS source String CODEC(ZSTD(1));
