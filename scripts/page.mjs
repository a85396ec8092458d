#!/usr/bin/env node
// Builds the page of apps/web into dist/apps/web, and compresses its files, so that the server only reads them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const output = join(root, 'dist/apps/web');
/** Smaller files fit into one packet anyway. */
const COMPRESSED_MIN_BYTES = 1024;

await build({
  root: join(root, 'apps/web'),
  configFile: false,
  logLevel: 'error',
  // The only code of ours that the page shares with the server.
  resolve: {
    alias: { '@app/query-language/text': join(root, 'libs/query-language/src/text/index.ts') },
  },
  build: {
    outDir: output,
    emptyOutDir: true,
    target: 'es2022',
    // Nothing may be inlined: the content security policy allows only files of this server.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});

for (const name of readdirSync(join(output, 'assets'))) {
  const path = join(output, 'assets', name);
  const bytes = readFileSync(path);
  if (bytes.length < COMPRESSED_MIN_BYTES) continue;
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}
