import { storeCalls } from '../stored-calls.mjs';

/** Values of no bounded size, which are sorted as text. */
export default {
  name: 'payload-sorts',
  what: 'sorts of 500 calls by eight payloads of 4 KB each, and by a whole payload, eight at once',
  role: 'read',
  clients: 8,
  prepare: (target) =>
    storeCalls(target, 500, (i) =>
      Object.fromEntries(Array.from({ length: 8 }, (_, key) => [`k${key}`, [`${i}`.repeat(1000)]])),
    ),
  attack({ send, project, client }) {
    const fields =
      client % 2 === 0 ? [0, 1, 2, 3, 4, 5, 6, 7].map((i) => `inputs.k${i}`) : ['inputs'];
    const sort_by = fields.map((field) => ({ field, direction: 'desc' }));
    return send('/calls/query', { project_id: project, sort_by, limit: 100 });
  },
};
