-- Input that was neither read from a cache nor written to one. Dialects differ in whether `usage_prompt` includes the
-- cached parts, and only the fold knows the dialect. Rows from before are taken to include them, unless they cannot.
ALTER TABLE calls ADD COLUMN IF NOT EXISTS usage_uncached Array(UInt64)
    DEFAULT arrayMap((prompt, cached) -> if(cached > prompt, prompt, prompt - cached), usage_prompt,
        arrayMap((read, written) -> read + written, usage_cache_read, usage_cache_write)) CODEC(ZSTD(1));
