import { randomUUID } from 'node:crypto';

const ITEMS = 1000;

/** Every such call waits for its start. */
export default {
  name: 'ends-without-starts',
  what: 'ends of calls that never started, 1,000 per batch',
  role: 'ingest',
  clients: 4,
  attack({ send, project }) {
    const ended_at = new Date().toISOString();
    const batch = Array.from({ length: ITEMS }, () => ({
      mode: 'end',
      req: { end: { project_id: project, id: randomUUID(), ended_at, summary: {} } },
    }));
    return send('/call/upsert_batch', { batch });
  },
};
