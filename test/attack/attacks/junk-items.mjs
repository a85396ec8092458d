import { gzipSync } from 'node:zlib';

const ITEMS = 520_000;

/** A kilobyte that becomes a batch of half a million items, none of which names a project. */
export default {
  name: 'junk-items',
  what: '1 KB of gzip with 520,000 junk items in call/upsert_batch',
  role: 'ingest',
  clients: 2,
  prepare() {
    return gzipSync(Buffer.from(`{"batch":[${'1,'.repeat(ITEMS)}1]}`), { level: 9 });
  },
  attack({ send, prepared }) {
    return send('/call/upsert_batch', prepared, { 'content-encoding': 'gzip' });
  },
};
