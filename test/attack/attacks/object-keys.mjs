const KEYS = 480_000;

/** Every key is sorted for the digest. */
export default {
  name: 'object-keys',
  what: 'obj/create with 480,000 keys, four at once',
  role: 'ingest',
  clients: 4,
  prepare({ project }) {
    const members = Array.from({ length: KEYS }, (_, i) => `"${(i * 7919) % 1_000_003}":${i}`);
    const obj = `"project_id":"${project}","object_id":"large","val":{${members.join()}}`;
    return Buffer.from(`{"obj":{${obj}}}`);
  },
  attack({ send, prepared }) {
    return send('/obj/create', prepared);
  },
};
