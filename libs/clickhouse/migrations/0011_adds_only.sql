-- Whether the key that sent a fact may only add (role `ingest`): the fold ignores such a fact about a call that another user
-- started. Facts from before this column, and of workers that do not know it yet, may change every call.
ALTER TABLE call_events ADD COLUMN IF NOT EXISTS adds_only UInt8 AFTER user_id;
