import { storeCalls } from '../stored-calls.mjs';

const KEYS = 5000;

/** The value is a list, which the scalar index does not have, so the text of every call is parsed. */
export default {
  name: 'contains',
  what: '$contains over 400 calls of 5,000 keys each, ten at once',
  role: 'read',
  clients: 10,
  prepare: (target) =>
    storeCalls(
      target,
      400,
      (i) => Object.fromEntries(Array.from({ length: KEYS }, (_, key) => [`k${key}`, [i, key]])),
      20,
    ),
  attack({ send, project }) {
    const $contains = { input: { $getField: 'inputs.k4000' }, substr: { $literal: '4000' } };
    return send('/calls/query_stats', { project_id: project, query: { $expr: { $contains } } });
  },
};
