const ITEMS = 900_000;

/** The same without compression: every item would be a dead letter of no project. */
export default {
  name: 'plain-junk-items',
  what: '1.8 MB with 900,000 junk items in call/upsert_batch',
  role: 'ingest',
  clients: 2,
  prepare: () => Buffer.from(`{"batch":[${'1,'.repeat(ITEMS)}1]}`),
  attack: ({ send, prepared }) => send('/call/upsert_batch', prepared),
};
