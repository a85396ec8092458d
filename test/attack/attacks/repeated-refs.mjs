import { storeLargeObject } from '../stored-calls.mjs';

/** Half of the clients stay within the limit. */
export default {
  name: 'repeated-refs',
  what: 'refs/read_batch that names an object of 8 MB 120 times, four at once',
  role: 'read',
  clients: 4,
  prepare: storeLargeObject,
  attack({ send, prepared, client }) {
    return send('/refs/read_batch', { refs: Array(client % 2 === 0 ? 120 : 15).fill(prepared) });
  },
};
