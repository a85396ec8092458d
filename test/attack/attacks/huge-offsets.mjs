import { storeCalls } from '../stored-calls.mjs';

/** Rows that are skipped are read, too. */
export default {
  name: 'huge-offsets',
  what: 'pages of calls at offsets up to 2^50, sorted by a payload, eight at once',
  role: 'read',
  clients: 8,
  prepare: (target) => storeCalls(target, 5000, (i) => ({ n: i, text: 'x'.repeat(500) }), 1000),
  attack({ send, project, client }) {
    const sort_by = [{ field: client % 2 === 0 ? 'started_at' : 'inputs.n', direction: 'asc' }];
    const offset = client % 4 < 2 ? 4900 : 2 ** 50;
    return send('/calls/query', { project_id: project, sort_by, offset, limit: 1000 });
  },
};
