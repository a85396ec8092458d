const ROWS = 100_000;
const TEXT = 'x'.repeat(150);

/** Within every limit, and as expensive as a table can be. */
export default {
  name: 'allowed-tables',
  what: 'table/create with 100,000 new rows, four at once',
  role: 'ingest',
  clients: 4,
  attack({ send, project, client }) {
    const from = `${client}-${performance.now()}`;
    const rows = Array.from(
      { length: ROWS },
      (_, i) => `{"n":${i},"from":"${from}","t":"${TEXT}"}`,
    );
    const body = `{"table":{"project_id":"${project}","rows":[${rows.join()}]}}`;
    return send('/table/create', Buffer.from(body));
  },
};
