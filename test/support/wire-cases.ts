import { readdirSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const CASES = new URL('test/wire/', root);

interface WireFile {
  readonly filename: string;
  readonly content: string;
}

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  /** The API key to send: null sends none; without this field the key of the test server is sent. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** A multipart form instead of a JSON body. */
  readonly form?: Readonly<Record<string, string | WireFile>>;
}

/** Exactly one of `body` (JSON), `lines` (JSONL) and `text` (anything else). */
export interface WireResponse {
  readonly status: number;
  /** Headers to compare in addition to the content type; null for one that must be absent. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: unknown;
  readonly lines?: readonly unknown[];
  readonly text?: string;
}

export interface WireStep {
  readonly request: WireRequest;
  readonly response: WireResponse;
  /** Repeat the request until the response matches: the worker stores this in the background. */
  readonly eventually?: boolean;
}

export interface WireCase {
  readonly folder: string;
  readonly name: string;
  readonly steps: readonly WireStep[];
}

const FIELDS = {
  step: ['request', 'response', 'eventually'],
  request: ['method', 'path', 'key', 'headers', 'body', 'form'],
  response: ['status', 'headers', 'body', 'lines', 'text'],
} as const;
const CONTENT = ['body', 'lines', 'text'];

/** Every case under test/wire. A case with an unknown field is an error: it would compare less than its author thinks. */
export function wireCases(): WireCase[] {
  const folders = readdirSync(CASES, { withFileTypes: true }).filter((one) => one.isDirectory());
  return folders.flatMap(({ name: folder }) =>
    readdirSync(new URL(`${folder}/`, CASES)).map((file) => ({
      folder,
      name: file.replace(/\.json$/, ''),
      steps: stepsIn(`${folder}/${file}`),
    })),
  );
}

function stepsIn(file: string): WireStep[] {
  const content = JSON.parse(readFileSync(new URL(file, CASES), 'utf8')) as WireStep | WireStep[];
  const steps = Array.isArray(content) ? content : [content];
  for (const step of steps) {
    checkFields(file, 'step', step);
    checkFields(file, 'request', step.request);
    checkFields(file, 'response', step.response);
    if (CONTENT.filter((field) => field in step.response).length !== 1) {
      throw new Error(`${file}: a response has exactly one of ${CONTENT.join(', ')}.`);
    }
  }
  return steps;
}

function checkFields(file: string, part: keyof typeof FIELDS, value: object): void {
  const known: readonly string[] = FIELDS[part];
  const unknown = Object.keys(value).filter((field) => !known.includes(field));
  if (unknown.length > 0) throw new Error(`${file}: a ${part} has no field ${unknown.join(', ')}.`);
}

/** The operations of the interface as "METHOD /path", with parameters as `{name}`. */
export function interfaceOperations(): string[] {
  const document = JSON.parse(
    readFileSync(new URL('docs/reference/openapi.json', root), 'utf8'),
  ) as { paths: Record<string, Record<string, unknown>> };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

/**
 * Where the cases of an operation are: its path with hyphens for slashes, without parameters. The method is added where
 * one of these operations has the same path.
 */
export function folderOf(operation: string, operations: readonly string[]): string {
  const [method = '', path = ''] = operation.split(' ');
  const isShared = operations.filter((one) => one.endsWith(` ${path}`)).length > 1;
  const parts = path.split('/').filter((part) => part !== '' && !part.startsWith('{'));
  return [...parts, ...(isShared ? [method.toLowerCase()] : [])].join('-');
}

/** Whether a request of a case, before substitution, goes to this operation. */
export function isRequestTo(operation: string, { method, path }: WireRequest): boolean {
  const [address = ''] = path.replace('${project}', 'entity/project').split('?');
  const pattern = operation.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${pattern}$`).test(`${method} ${address}`);
}
