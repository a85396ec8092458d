const BYTES = 40 * 1024 * 1024;

/** A refusal must reach a client that is still sending. */
export default {
  name: 'too-large-bodies',
  what: 'bodies of 40 MB, above the limit of 32 MiB, four at once',
  role: 'ingest',
  clients: 4,
  prepare: () => Buffer.alloc(BYTES, ' '),
  attack: ({ send, prepared }) => send('/call/upsert_batch', prepared),
};
