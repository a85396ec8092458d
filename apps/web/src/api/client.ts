/** A response that is not 2xx. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

type OnSignedOut = (reason: string) => void;

let onSignedOut: OnSignedOut = () => undefined;

/** Called when the server no longer accepts the session. */
export function whenSignedOut(listener: OnSignedOut): void {
  onSignedOut = listener;
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: object;
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request with the session's cookie. The header proves that it comes from this page, not from another site. */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  const { method = 'POST', body, signal = null, headers = {} } = options;
  const response = await fetch(path, {
    method,
    signal,
    credentials: 'same-origin',
    headers: {
      'x-heddle-page': '1',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.ok || response.status === 304) return response;
  const error = await errorOf(response);
  if (response.status === 401 && path !== '/session') onSignedOut(error.message);
  throw error;
}

export async function post<T>(path: string, body: object, signal?: AbortSignal): Promise<T> {
  const response = await send(path, { body, signal });
  return (await response.json()) as T;
}

/** Yields one value per line of the response, as the lines arrive. */
export async function* postLines<T>(
  path: string,
  body: object,
  signal?: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): AsyncGenerator<T, void> {
  yield* jsonLinesOf<T>(await send(path, { body, signal, headers }));
}

export async function* jsonLinesOf<T>(response: Response): AsyncGenerator<T, void> {
  for await (const line of linesOf(response)) yield JSON.parse(line) as T;
}

async function* linesOf(response: Response): AsyncGenerator<string, void> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') yield line;
    }
    if (rest !== '') yield rest;
  } finally {
    // The reader of an aborted response rejects the cancellation too, and there is nothing left to free then.
    reader.cancel().catch(() => undefined);
  }
}

interface Problem {
  readonly reason?: string;
  readonly error_code?: string;
  readonly detail?: unknown;
}

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  const { reason, error_code, detail } = problemIn(text);
  const message = reason ?? (detail === undefined ? undefined : detailText(detail));
  return new ApiError(
    response.status,
    error_code ?? '',
    message ?? `The server responded with status ${response.status}.`,
  );
}

function problemIn(text: string): Problem {
  try {
    return JSON.parse(text) as Problem;
  } catch {
    // A proxy in between responds with its own text.
    return {};
  }
}

/** The errors of a body: `[{loc: ['body', 'query', …], msg}]`. */
function detailText(detail: unknown): string {
  if (!Array.isArray(detail)) return String(detail);
  return (detail as { loc?: readonly unknown[]; msg?: string }[])
    .map(({ loc = [], msg = '' }) => `${loc.slice(1).join('.')}: ${msg}`)
    .join('; ');
}
