import { aProject, sharedServer } from '../support/test-server.js';
import { eventually } from '../support/processes.js';
import {
  folderOf,
  interfaceOperations,
  isRequestTo,
  wireCases,
  type WireRequest,
  type WireResponse,
  type WireStep,
} from '../support/wire-cases.js';
import {
  fillPlaceholders,
  substitute,
  substituteText,
  type Names,
} from '../support/wire-template.js';

const server = sharedServer();
type HttpResponse = Awaited<ReturnType<typeof server.send>>;

/** Operations without a key, which the interface document does not contain; clients depend on their bodies, too. */
const PUBLIC_OPERATIONS = ['GET /health', 'GET /server_info', 'GET /version'];
const EVENTUALLY_MS = 15_000;
const DAY_MS = 86_400_000;

const operations = [...interfaceOperations(), ...PUBLIC_OPERATIONS];
const operationsByFolder = new Map(
  operations.map((operation) => [folderOf(operation, operations), operation]),
);
const cases = wireCases().map((one) => ({
  ...one,
  operation: operationsByFolder.get(one.folder) ?? `(${one.folder}: no operation)`,
  behaviour: one.name.replaceAll('-', ' '),
}));

function startingNames(): Names {
  const now = Date.now();
  const date = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  return new Map([
    ['project', aProject()],
    ['today', date(now)],
    ['tomorrow', date(now + DAY_MS)],
  ]);
}

async function encodeForm(form: NonNullable<WireRequest['form']>) {
  const data = new FormData();
  for (const [name, value] of Object.entries(form)) {
    if (typeof value === 'string') data.append(name, value);
    else data.append(name, new Blob([value.content]), value.filename);
  }
  const encoded = new Response(data);
  return {
    body: new Uint8Array(await encoded.arrayBuffer()),
    headers: { 'content-type': encoded.headers.get('content-type')! },
  };
}

async function sendRequest(template: WireRequest, names: Names): Promise<HttpResponse> {
  const request = substitute(template, names) as WireRequest;
  const { method, path, key = server.key, body, headers = {}, form } = request;
  const sent = form === undefined ? { body, headers: {} } : await encodeForm(form);
  return server.send(path, sent.body, { method, key, headers: { ...headers, ...sent.headers } });
}

/** The part of the response that the case describes: the status, the named headers and the whole body. */
function received(response: HttpResponse, expected: WireResponse): WireResponse {
  const headers = Object.fromEntries(
    Object.keys(expected.headers ?? {}).map((name) => [name, headerOf(response, name)]),
  );
  return { status: response.status, headers, ...content(response, expected) };
}

/** The charset of a content type is left out: JSON is always UTF-8. */
function headerOf({ headers }: HttpResponse, name: string): string | null {
  const value = headers.get(name);
  return name === 'content-type' ? (value?.split(';')[0] ?? null) : value;
}

function content(response: HttpResponse, expected: WireResponse): Partial<WireResponse> {
  if ('text' in expected) return { text: response.text };
  if (!('lines' in expected)) return { body: response.json() };
  const lines = response.text === '' ? [] : response.text.replace(/\n$/, '').split('\n');
  return { lines: lines.map((line) => JSON.parse(line) as unknown) };
}

function withContentType(response: WireResponse): WireResponse {
  const type = 'lines' in response ? 'application/jsonl' : 'application/json';
  const headers = { ...('text' in response ? {} : { 'content-type': type }), ...response.headers };
  return { ...response, headers };
}

async function runStep({ request, response }: WireStep, names: Names): Promise<void> {
  const template = withContentType(response);
  const actual = received(await sendRequest(request, names), template);
  const expected = fillPlaceholders(substitute(template, names), actual, names);
  const line = substituteText(`${request.method} ${request.path}`, names);
  expect({ request: line, response: actual }).toEqual({ request: line, response: expected });
}

function runUntilItMatches(step: WireStep, names: Names): Promise<true> {
  return eventually(async () => {
    await runStep(step, names);
    return true as const;
  }, EVENTUALLY_MS);
}

async function runAll(steps: readonly WireStep[]): Promise<void> {
  const names = startingNames();
  for (const step of steps)
    await (step.eventually === true ? runUntilItMatches(step, names) : runStep(step, names));
}

describe('the golden wire cases', () => {
  it('cover every operation and only operations that exist', () => {
    expect([...operationsByFolder.keys()]).toHaveLength(operations.length);
    const covered = [...new Set(cases.map(({ operation }) => operation))];
    expect(covered.sort()).toEqual([...operations].sort());
  });

  it('each send a request to the operation of their folder', () => {
    const elsewhere = cases.filter(
      ({ operation, steps }) => !steps.some(({ request }) => isRequestTo(operation, request)),
    );
    expect(elsewhere.map(({ folder, name }) => `${folder}/${name}`)).toEqual([]);
  });
});

describe('the wire', () => {
  // Each case has its own project, and most of them wait for their writes.
  it.concurrent.each(cases)('$operation $behaviour', async ({ steps }) => {
    // Rules are evaluated once a minute, which may be between two steps.
    const mayBeEvaluated = steps.some(({ request }) => request.path === '/alerts/create');
    await runAll(steps).catch((error: unknown) => {
      if (!mayBeEvaluated) throw error;
      return runAll(steps);
    });
  });
});
