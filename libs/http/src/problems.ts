import type { FastifyError } from 'fastify';
import { HeddleError, type ErrorCode, type Place, type ProblemCode } from '@app/errors';

/** Every refusal: a stable code, its status and its sentence. docs/reference/errors.md is made from this table. */
export const PROBLEMS = {
  not_json: { status: 400, sentence: 'The body is not valid JSON.' },
  not_utf8: { status: 400, sentence: 'The body is not valid UTF-8.' },
  invalid_request: { status: 400, sentence: 'The request is not valid.' },
  invalid_ref: { status: 400, sentence: 'This ref cannot be read.' },
  invalid_project_id: {
    status: 400,
    sentence: 'The id of a new project could be mistaken for another.',
  },
  too_many_alert_rules: {
    status: 400,
    sentence: 'The project has the maximum number of alert rules.',
  },
  webhook_refused: { status: 400, sentence: 'The URL of the webhook is not allowed.' },
  class_mismatch: { status: 400, sentence: 'The name is bound to another class.' },
  unauthenticated: {
    status: 401,
    sentence:
      'An API key is needed: send it as the password of Basic authentication or as a Bearer token.',
  },
  unknown_key: { status: 401, sentence: 'This API key is unknown.' },
  session_ended: {
    status: 401,
    sentence: 'This session has ended, or its API key has; log in again.',
  },
  page_header_missing: {
    status: 401,
    sentence:
      'A login and a session cookie are accepted only with the header x-heddle-page: 1, which pages of other origins cannot send.',
  },
  forbidden: { status: 403, sentence: 'This API key may not do that in this project.' },
  cross_site: {
    status: 403,
    sentence:
      'A page of another origin may not send this request; an operator can add the origin to CORS_ORIGINS.',
  },
  not_found: { status: 404, sentence: 'This resource does not exist.' },
  call_not_found: { status: 404, sentence: 'There is no such call.' },
  object_not_found: { status: 404, sentence: 'There is no such object version.' },
  object_deleted: { status: 404, sentence: 'This object version was deleted.' },
  table_not_found: { status: 404, sentence: 'There is no such table.' },
  row_not_found: { status: 404, sentence: 'There is no such row.' },
  file_not_found: { status: 404, sentence: 'There is no such file.' },
  key_not_found: { status: 404, sentence: 'There is no such API key.' },
  alert_rule_not_found: { status: 404, sentence: 'There is no such alert rule.' },
  annotation_queue_not_found: { status: 404, sentence: 'There is no such annotation queue.' },
  annotation_item_not_found: { status: 404, sentence: 'The annotation queue has no such item.' },
  source_not_found: {
    status: 404,
    sentence: 'There is no such call, span or link of a dataset.',
  },
  method_not_allowed: { status: 405, sentence: 'This path does not accept that method.' },
  request_timeout: { status: 408, sentence: 'The request took too long to arrive.' },
  annotation_item_claimed: {
    status: 409,
    sentence: 'Another annotator has claimed or finished this item; take another one.',
  },
  digest_mismatch: { status: 409, sentence: 'The content has another digest than expected.' },
  payload_changed: {
    status: 412,
    sentence: 'The payload has changed since its ETag was returned; read it again.',
  },
  body_too_large: { status: 413, sentence: 'The body is too large.' },
  too_many_ids: { status: 413, sentence: 'Too many ids at once.' },
  body_too_complex: {
    status: 413,
    sentence: 'The body is nested too deeply or has too many parts.',
  },
  query_too_large: {
    status: 413,
    sentence:
      'The query needs more memory or rows than allowed, or has too many conditions; narrow it by time, op, trace or columns, or page with limit.',
  },
  unsupported_encoding: {
    status: 415,
    sentence: 'The body has an unsupported encoding.',
  },
  range_not_satisfiable: { status: 416, sentence: 'The file or payload has no such bytes.' },
  invalid_body: { status: 422, sentence: 'The body does not match the schema of this operation.' },
  headers_too_large: { status: 431, sentence: 'The headers are too large.' },
  queue_full: { status: 429, sentence: 'The queue is full; retry later.' },
  rate_limited: { status: 429, sentence: 'Too many requests; retry later.' },
  internal: {
    status: 500,
    sentence: 'An unexpected error occurred; the log of the server has the details.',
  },
  not_served: {
    status: 501,
    sentence: 'This operation is deliberately not supported; the reason names an alternative.',
  },
  queue_unavailable: {
    status: 503,
    sentence: 'The queue is unavailable, and the write is not confirmed; a retry is safe.',
  },
  queue_not_durable: {
    status: 503,
    sentence:
      'The queue could lose what it acknowledges, so it accepts no writes. The operator must correct its settings.',
  },
  disk_full: {
    status: 503,
    sentence:
      'A disk of the server has too little free space, so it accepts no writes; reads continue. The operator must free space.',
  },
  write_unconfirmed: {
    status: 503,
    sentence:
      'No replica of the queue has confirmed the write in time. It may be stored; a retry is safe.',
  },
  storage_unavailable: {
    status: 503,
    sentence: 'ClickHouse is unavailable; retry later.',
  },
  write_pending: {
    status: 503,
    sentence: 'The write is accepted but not readable yet; a retry is safe.',
  },
  reads_busy: {
    status: 503,
    sentence: 'Too many reads are in progress; retry later.',
  },
  bodies_busy: {
    status: 503,
    sentence: 'Other large requests use the memory of the server; nothing is stored, retry later.',
  },
  query_timeout: {
    status: 504,
    sentence:
      'The query took longer than allowed; narrow it by started_at, op_names, trace_ids or a smaller limit.',
  },
} as const satisfies Record<ProblemCode, { status: number; sentence: string }>;

/** A refusal. `reason` replaces the sentence of the table where more is known. */
export class ProblemError extends HeddleError {
  constructor(
    readonly code: ProblemCode,
    reason: string = PROBLEMS[code].sentence,
    readonly extras: Readonly<Record<string, unknown>> = {},
    /** When a retry may succeed; for the codes with `Retry-After`. */
    override readonly retryAfterSeconds = 1,
  ) {
    super(reason);
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }
}

/** The place and the reason of one error in a body. */
export interface FieldError {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

export class InvalidBodyError extends ProblemError {
  constructor(
    readonly detail: readonly FieldError[],
    code: 'invalid_body' | 'body_too_complex' = 'invalid_body',
  ) {
    super(code, summaryOf(detail), code === 'invalid_body' ? { detail } : {});
  }
}

const summaryOf = (detail: readonly FieldError[]) =>
  detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');

/** Fastify refuses some requests before our code runs. */
const BY_FASTIFY_CODE: Readonly<Record<string, ProblemCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'not_json',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_encoding',
  FST_ERR_BAD_URL: 'invalid_request',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  ECONNRESET: 'invalid_request',
  ERR_STREAM_PREMATURE_CLOSE: 'invalid_request',
};

/** Codes whose errors carry a sentence written for the client; for the others the client receives the table's sentence. */
const WITH_OWN_SENTENCE: ReadonlySet<ProblemCode> = new Set([
  'disk_full',
  'forbidden',
  'invalid_project_id',
  'invalid_ref',
  'queue_full',
  'queue_not_durable',
  'rate_limited',
]);

export function problemOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  return error instanceof HeddleError ? ownProblem(error) : foreignProblem(error);
}

function ownProblem({ code, at, message, retryAfterSeconds }: HeddleError): ProblemError {
  if (!isProblemCode(code)) return new ProblemError('internal');
  if (at !== undefined) return problemAt(at, code, message);
  const reason = WITH_OWN_SENTENCE.has(code) ? message : undefined;
  return new ProblemError(code, reason, {}, retryAfterSeconds);
}

const isProblemCode = (code: ErrorCode): code is ProblemCode => Object.hasOwn(PROBLEMS, code);

function problemAt(at: Place, code: ProblemCode, message: string): ProblemError {
  if (code === 'invalid_body') {
    return new InvalidBodyError([{ loc: ['body', ...at], msg: message, type: 'query' }]);
  }
  return new ProblemError(code, `${at.join('.')}: ${message}.`);
}

/** An error of Fastify or of Node.js, or a defect. */
function foreignProblem(error: unknown): ProblemError {
  const { code, statusCode, message } = (error ?? {}) as Partial<FastifyError>;
  const known = BY_FASTIFY_CODE[code ?? ''];
  if (known !== undefined) return new ProblemError(known);
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ProblemError('invalid_request', message);
  }
  return new ProblemError('internal');
}
