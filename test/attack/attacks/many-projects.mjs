const PROJECTS = 10_000;

/** Every project has its own keys in Redis. */
export default {
  name: 'many-projects',
  what: 'call/upsert_batch that names 10,000 projects, eight at once',
  role: 'ingest',
  clients: 8,
  prepare({ project }) {
    const entity = project.split('/')[0];
    const started_at = new Date().toISOString();
    const batch = Array.from({ length: PROJECTS }, (_, i) => ({
      mode: 'start',
      req: {
        start: {
          ...{ project_id: `${entity}/p${i}`, op_name: 'attack', started_at },
          ...{ attributes: {}, inputs: {} },
        },
      },
    }));
    return Buffer.from(JSON.stringify({ batch }));
  },
  attack: ({ send, prepared }) => send('/call/upsert_batch', prepared),
};
