import { storeCalls, storeLargeObject } from '../stored-calls.mjs';

/** Half of the clients stay within the limit. */
export default {
  name: 'expanded-columns',
  what: 'expand_columns over 250 calls that reference one object of 8 MB, four at once',
  role: 'read',
  clients: 4,
  async prepare(target) {
    const model = await storeLargeObject(target);
    await storeCalls(target, 250, () => ({ model }));
  },
  attack({ send, project, client }) {
    const limit = client % 2 === 0 ? null : 15;
    const body = { project_id: project, expand_columns: ['inputs.model'], limit };
    return send('/calls/stream_query', body);
  },
};
