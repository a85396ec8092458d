let next = 0;

/** One project name after the other, each in a small request. */
export default {
  name: 'new-projects',
  what: 'call/start in ever new projects, sixteen at once',
  role: 'ingest',
  clients: 16,
  attack({ send, project }) {
    const [entity] = project.split('/');
    const start = {
      ...{ project_id: `${entity}/new-${next++}`, op_name: 'attack' },
      ...{ started_at: new Date().toISOString(), attributes: {}, inputs: {} },
    };
    return send('/call/start', { start });
  },
};
