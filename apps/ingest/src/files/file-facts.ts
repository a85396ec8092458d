import { open } from 'node:fs/promises';
import type { FileStored } from '@app/events';
import type { RecordContext } from '../record-facts.js';
import type { ReceivedFile } from './upload.js';

/** A file, wherever its bytes are. */
export type StoredFile = Pick<ReceivedFile, 'name' | 'size' | 'digest'>;

const PIECE_BYTES = 1024 * 1024;
const EXTERNAL_PIECE_BYTES = 1024 * PIECE_BYTES;

/** The pieces of a file whose bytes are in a bucket: sizes without bytes. */
export function externalPieces(
  { name, size, digest }: StoredFile,
  context: RecordContext,
): readonly FileStored[] {
  const chunkCount = Math.ceil(size / EXTERNAL_PIECE_BYTES);
  return Array.from({ length: chunkCount }, (_, chunk) => {
    const externalBytes = Math.min(EXTERNAL_PIECE_BYTES, size - chunk * EXTERNAL_PIECE_BYTES);
    const data = { digest, name, chunk, chunkCount, externalBytes };
    return { type: 'FileStored', ...context, data, body: Buffer.alloc(0) };
  });
}

/** The pieces of a file, read one at a time. An empty file has one empty piece. */
export async function* fileParts(
  { path, name, size, digest }: ReceivedFile,
  context: RecordContext,
): AsyncGenerator<readonly [FileStored]> {
  const chunkCount = Math.max(1, Math.ceil(size / PIECE_BYTES));
  const file = await open(path);
  try {
    for (let chunk = 0; chunk < chunkCount; chunk++) {
      const start = chunk * PIECE_BYTES;
      const body = Buffer.alloc(Math.min(PIECE_BYTES, size - start));
      await file.read(body, 0, body.length, start);
      yield [{ type: 'FileStored', ...context, data: { digest, name, chunk, chunkCount }, body }];
    }
  } finally {
    await file.close();
  }
}

/** The pieces of a file in memory. */
export function* bytesParts(
  { name, size, digest }: StoredFile,
  bytes: Buffer,
  context: RecordContext,
): Generator<readonly [FileStored]> {
  const chunkCount = Math.max(1, Math.ceil(size / PIECE_BYTES));
  for (let chunk = 0; chunk < chunkCount; chunk++) {
    const body = bytes.subarray(chunk * PIECE_BYTES, (chunk + 1) * PIECE_BYTES);
    yield [{ type: 'FileStored', ...context, data: { digest, name, chunk, chunkCount }, body }];
  }
}
