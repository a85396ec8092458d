import type { Socket } from 'node:net';
import type { ProblemCode } from '@app/errors';
import { PROBLEMS } from './problems.js';

/** Errors before there is a request: the bytes are not HTTP, the headers are too large, or they arrive too slowly. */
const BY_CODE: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** Sends a refusal and closes the connection, because the start of the next request is unknown. */
export function sendClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const code = BY_CODE[error.code ?? ''] ?? 'invalid_request';
  const { status, sentence } = PROBLEMS[code];
  const body = JSON.stringify({ reason: sentence, error_code: code });
  if (!socket.writable) return void socket.destroy(error);
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_TEXTS[status] ?? 'Bad Request'}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
