import { clientOf } from '../http-client.mjs';
import { storeCalls } from '../stored-calls.mjs';

const PROJECTS = 20;
const CONDITIONS = 24;

/** Each key and each project has its share of ClickHouse; a tenant can have many of both. */
export default {
  name: 'many-keys',
  what: 'queries with 24 conditions on payloads, by 1,000 keys in 20 projects, 32 at once',
  role: 'read',
  clients: 32,
  keys: 1000,
  async prepare(target) {
    const projects = Array.from({ length: PROJECTS }, (_, i) => `${target.project}-${i}`);
    const inputs = (i) =>
      Object.fromEntries(Array.from({ length: CONDITIONS }, (_, key) => [`k${key}`, [i, key]]));
    for (const project of projects) await storeCalls({ ...target, project }, 100, inputs);
    const senders = target.keys.map((key) => clientOf(target.url, key, target.signal));
    return { projects, senders, sent: 0 };
  },
  attack({ prepared }) {
    const { projects, senders } = prepared;
    const number = prepared.sent++;
    const $or = Array.from({ length: CONDITIONS }, (_, i) => ({
      $eq: [{ $getField: `inputs.k${i}` }, { $literal: `v${i}` }],
    }));
    const body = { project_id: projects[number % PROJECTS], query: { $expr: { $or } } };
    return senders[number % senders.length]('/calls/query', body);
  },
};
