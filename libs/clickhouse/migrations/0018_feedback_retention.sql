-- "How long is feedback of this project stored", asked by the nightly expiry. 0 stores it as long as its call.
ALTER TABLE projects ADD COLUMN IF NOT EXISTS feedback_retention_days UInt32;
