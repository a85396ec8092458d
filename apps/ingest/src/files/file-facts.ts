import { open } from 'node:fs/promises';
import type { FileStored } from '@app/events';
import type { Receipt } from '../objects/object-facts.js';
import type { ReceivedFile } from './upload.js';

const PIECE_BYTES = 1024 * 1024;

/** The pieces of a file, read one at a time. A file of no bytes is one empty piece. */
export async function* fileParts(
  { path, name, size, digest }: ReceivedFile,
  receipt: Receipt,
): AsyncGenerator<readonly [FileStored]> {
  const chunkCount = Math.max(1, Math.ceil(size / PIECE_BYTES));
  const file = await open(path);
  try {
    for (let chunk = 0; chunk < chunkCount; chunk++) {
      const start = chunk * PIECE_BYTES;
      const body = Buffer.alloc(Math.min(PIECE_BYTES, size - start));
      await file.read(body, 0, body.length, start);
      yield [{ type: 'FileStored', ...receipt, data: { digest, name, chunk, chunkCount }, body }];
    }
  } finally {
    await file.close();
  }
}
