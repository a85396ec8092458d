-- Finds the granules in which a text can stand, for `$contains`. Half as much disk again and two to three times the CPU of
-- an insert: only for those who search payloads a lot. `cli migrate --text-index` adds it; rows that are there already
-- are indexed in the background.
ALTER TABLE calls ADD INDEX IF NOT EXISTS text_of_inputs inputs TYPE text(tokenizer = ngrams(3)) GRANULARITY 1;

ALTER TABLE calls ADD INDEX IF NOT EXISTS text_of_output output TYPE text(tokenizer = ngrams(3)) GRANULARITY 1;

ALTER TABLE calls MATERIALIZE INDEX text_of_inputs;

ALTER TABLE calls MATERIALIZE INDEX text_of_output;
