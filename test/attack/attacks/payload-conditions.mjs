import { storeCalls } from '../stored-calls.mjs';

const CONDITIONS = 24;

/** The number of conditions that is allowed where the text of payloads decides. ClickHouse plans them for seconds. */
export default {
  name: 'payload-conditions',
  what: 'queries with 24 and 40 conditions on payloads, eight at once',
  role: 'read',
  clients: 8,
  prepare: (target) =>
    storeCalls(target, 300, (i) =>
      Object.fromEntries(Array.from({ length: CONDITIONS }, (_, key) => [`k${key}`, [i, key]])),
    ),
  attack({ send, project, client }) {
    const $or = Array.from({ length: client % 2 === 0 ? 40 : CONDITIONS }, (_, i) => ({
      $eq: [{ $getField: `inputs.k${i}` }, { $literal: `v${i}` }],
    }));
    return send('/calls/query', { project_id: project, query: { $expr: { $or } } });
  },
};
