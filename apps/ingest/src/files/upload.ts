import { createWriteStream } from 'node:fs';
import { Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { ContentDigestBuilder } from '@app/digests';
import { ProblemError } from '@app/http';

const FIELD_MAX_BYTES = 4096;

/** A received file. Its bytes are on disk, not in memory. */
export interface ReceivedFile {
  readonly path: string;
  readonly name: string;
  readonly size: number;
  readonly digest: string;
}

export interface Upload {
  readonly fields: Readonly<Record<string, string>>;
  readonly file: ReceivedFile | undefined;
}

/**
 * Reads a form whose parts may come in any order. The bytes go to `path` as they arrive, because the part with the
 * project may come after the file.
 */
export async function receiveUpload(
  request: FastifyRequest,
  path: string,
  maxBytes: number,
): Promise<Upload> {
  if (!request.isMultipart()) {
    throw new ProblemError('invalid_request', 'This operation needs a multipart/form-data body.');
  }
  return orStuck(request, readForm(request, path, maxBytes));
}

async function readForm(request: FastifyRequest, path: string, maxBytes: number): Promise<Upload> {
  const fields: Record<string, string> = {};
  let file: ReceivedFile | undefined;
  const limits = { fileSize: maxBytes, files: 1, fields: 16, fieldSize: FIELD_MAX_BYTES };
  try {
    for await (const part of request.parts({ limits })) {
      if (part.type === 'file' && part.fieldname === 'file') file = await saved(part, path);
      else if (part.type === 'file') throw unexpectedFile(part.fieldname);
      else if (typeof part.value === 'string') fields[part.fieldname] = part.value;
    }
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw uploadProblem(error, maxBytes);
  }
  return { fields, file };
}

/** The multipart parser waits indefinitely when the header of a part is malformed, even after the last byte. */
const STUCK_AFTER_MS = 3000;

async function orStuck(request: FastifyRequest, reading: Promise<Upload>): Promise<Upload> {
  let timer: NodeJS.Timeout | undefined;
  const stuck = new Promise<never>((_, reject) => {
    const refuse = () =>
      reject(
        new ProblemError(
          'invalid_request',
          'The form cannot be read: the header of one of its parts is malformed.',
        ),
      );
    request.raw.once('end', () => (timer = setTimeout(refuse, STUCK_AFTER_MS)));
  });
  try {
    return await Promise.race([reading, stuck]);
  } finally {
    clearTimeout(timer);
    // The parser may still fail after the timeout; that rejection must not count as unhandled.
    reading.catch(() => undefined);
  }
}

async function saved(part: MultipartFile, path: string): Promise<ReceivedFile> {
  const measured = new Measured();
  await pipeline(part.file, measured, createWriteStream(path));
  return { path, name: part.filename, size: measured.size, digest: measured.sum.digest() };
}

class Measured extends Transform {
  readonly sum = new ContentDigestBuilder();
  size = 0;

  override _transform(piece: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.size += piece.length;
    this.sum.add(piece);
    done(null, piece);
  }
}

function unexpectedFile(name: string): ProblemError {
  const shown = JSON.stringify(name.slice(0, 60));
  return new ProblemError('invalid_request', `The form has a file in ${shown}; send it in "file".`);
}

/** Maps errors of the multipart parser by code. Errors of the disk are not the client's and stay as they are. */
function uploadProblem(error: unknown, maxBytes: number): unknown {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (code === 'FST_REQ_FILE_TOO_LARGE') {
    return new ProblemError('body_too_large', `The file is larger than ${maxBytes} bytes.`);
  }
  if (code.startsWith('E')) return error;
  return new ProblemError('invalid_request', `The form cannot be read: ${message.slice(0, 200)}`);
}
