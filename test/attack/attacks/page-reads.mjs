import { randomUUID } from 'node:crypto';

const CALLS = 20_000;
const PER_REQUEST = 2000;

/** What the page reads when it is opened, without a pause, of one long trace. */
export default {
  name: 'page-reads',
  what: 'facets, histogram, statistics, costs and the tree of a trace of 20,000 calls, 24 at once',
  role: 'read',
  clients: 24,
  async prepare({ owner, project }) {
    const trace_id = randomUUID();
    for (let from = 0; from < CALLS; from += PER_REQUEST) {
      const batch = Array.from({ length: PER_REQUEST }, (_, i) => started(project, trace_id, i));
      const { status, text } = await owner.send('/call/upsert_batch', { batch });
      if (status !== 200) throw new Error(`The attack could not be prepared: ${status} ${text}`);
    }
    await owner.send('/calls/query_stats', { project_id: project });
    return trace_id;
  },
  attack({ send, project, prepared: trace_id, client }) {
    const start = new Date(Date.now() - 86_400_000).toISOString();
    const end = new Date().toISOString();
    const requests = [
      ['/calls/facets', { fields: ['op_name', 'inputs.customer'] }],
      ['/calls/histogram', { start, end, buckets: 500 }],
      ['/calls/stats', { start, end }],
      ['/costs/report', { group_by: ['model', 'op'] }],
      ['/trace/tree', { trace_id }],
      ['/calls/query', { sort_by: [{ field: 'inputs.text', direction: 'desc' }], limit: 100 }],
    ];
    const [path, body] = requests[client % requests.length];
    return send(path, { project_id: project, ...body });
  },
};

function started(project_id, trace_id, i) {
  const start = { project_id, trace_id, id: randomUUID(), op_name: `op ${i % 50}` };
  const inputs = { customer: `c${i % 1000}`, text: 'x'.repeat(300) };
  const now = new Date().toISOString();
  return { mode: 'start', req: { start: { ...start, started_at: now, attributes: {}, inputs } } };
}
