const ROWS = 10_000_000;

/** The largest table that fits in an allowed body: three bytes for each row. */
export default {
  name: 'empty-rows',
  what: 'table/create with 10,000,000 empty rows, four at once',
  role: 'ingest',
  clients: 4,
  prepare({ project }) {
    const rows = '{},'.repeat(ROWS - 1);
    return Buffer.from(`{"table":{"project_id":"${project}","rows":[${rows}{}]}}`);
  },
  attack: ({ send, prepared }) => send('/table/create', prepared),
};
