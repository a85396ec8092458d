const ROWS = 300_000;

/** Every row has a digest. */
export default {
  name: 'table-rows',
  what: 'table/create with 300,000 rows, four at once',
  role: 'ingest',
  clients: 4,
  prepare({ project }) {
    const rows = Array.from({ length: ROWS }, (_, i) => `{"n":${i}}`);
    return Buffer.from(`{"table":{"project_id":"${project}","rows":[${rows.join()}]}}`);
  },
  attack: ({ send, prepared }) => send('/table/create', prepared),
};
