import zlib from 'node:zlib';

const BYTES = 64 * 1024 * 1024;

/** Small bodies that decompress to 64 MB, in every encoding that this Node.js has. */
export default {
  name: 'bombs',
  what: 'gzip, deflate, brotli and zstd bodies that become 64 MB, eight at once',
  role: 'ingest',
  clients: 8,
  prepare() {
    const zeros = Buffer.alloc(BYTES, ' ');
    const quick = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };
    return [
      ['gzip', zlib.gzipSync(zeros)],
      ['deflate', zlib.deflateSync(zeros)],
      ['br', zlib.brotliCompressSync(zeros, quick)],
      ...(zlib.zstdCompressSync ? [['zstd', zlib.zstdCompressSync(zeros)]] : []),
    ];
  },
  attack({ send, prepared, client }) {
    const [encoding, body] = prepared[client % prepared.length];
    return send('/call/upsert_batch', body, { 'content-encoding': encoding });
  },
};
