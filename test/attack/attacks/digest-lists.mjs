const DIGESTS = 1_900_000;

/** The longest list that a body may have. */
export default {
  name: 'digest-lists',
  what: 'table/create_from_digests with 1,900,000 digests, two at once',
  role: 'ingest',
  clients: 2,
  prepare({ project }) {
    const digests = Array.from({ length: DIGESTS }, (_, i) => `"${String(i).padStart(43, 'x')}"`);
    return Buffer.from(`{"project_id":"${project}","row_digests":[${digests.join()}]}`);
  },
  attack: ({ send, prepared }) => send('/table/create_from_digests', prepared),
};
