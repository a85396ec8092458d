const ITEMS = 10_000;
const TEXT = 'x'.repeat(2000);

/** Within every limit: large batches of valid calls. */
export default {
  name: 'allowed-batches',
  what: 'call/upsert_batch with 10,000 starts of 2 KB, four at once',
  role: 'ingest',
  clients: 4,
  prepare({ project }) {
    const started_at = new Date().toISOString();
    const batch = Array.from({ length: ITEMS }, () => ({
      mode: 'start',
      req: {
        start: {
          ...{ project_id: project, op_name: 'attack', started_at, attributes: {} },
          inputs: { text: TEXT },
        },
      },
    }));
    return Buffer.from(JSON.stringify({ batch }));
  },
  attack: ({ send, prepared }) => send('/call/upsert_batch', prepared),
};
