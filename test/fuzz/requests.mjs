import { aQuery, aSort } from './queries.mjs';
import { anything, aNumber, aString, print } from './values.mjs';

export const PROJECT = 'fuzz/p';
const IDS = ['c1', 'c2', 'c3', '0197-fuzz', 'a:{b}\n'];

/** Generators for fields whose valid values their schema does not describe. */
const BY_NAME = {
  project_id: (random) =>
    random.chance(0.95) ? PROJECT : random.of(['a/b', 'x', aString(random)]),
  project_ids: (random) => random.many(3, () => PROJECT),
  query: (random) => aQuery(random),
  sort_by: (random) => aSort(random),
  id: (random) => random.of([...IDS, aString(random)]),
  call_id: (random) => random.of(IDS),
  trace_id: (random) => random.of(['t1', 't2']),
  parent_id: (random) => random.of(['c1', null, aString(random)]),
  call_ids: (random) => random.many(4, () => random.of([...IDS, aString(random)])),
  object_id: (random) => random.of(['thing', 'thing', 'other', aString(random)]),
  started_at: (random) =>
    random.of(['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.123456+02:00', aString(random)]),
  ended_at: (random) => random.of(['2026-03-01T10:00:01Z', aString(random)]),
  inputs: (random) => record(random),
  attributes: (random) => record(random),
  summary: (random) => record(random),
  output: (random) => anything(random),
  val: (random) => anything(random),
  rows: (random) => random.many(4, () => record(random)),
  limit: (random) => random.of([0, 1, 10, null, aNumber(random)]),
  offset: (random) => random.of([0, 1, null, aNumber(random)]),
  scope: (random) => random.of([PROJECT, 'fuzz', aString(random)]),
};

const record = (random) =>
  random.chance(0.9)
    ? Object.fromEntries(
        random.many(4, () => [random.of(['x', 'y', 'a.b', aString(random)]), anything(random)]),
      )
    : anything(random);

/** Every operation of the OpenAPI document, except those that create or revoke keys. */
export function operationsOf(document) {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(() => !path.startsWith('/admin/keys'))
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        schema: operation.requestBody?.content?.['application/json']?.schema,
        isForm: operation.requestBody?.content?.['multipart/form-data'] !== undefined,
      })),
  );
}

/** A request to the operation; most follow its schema. */
export function requestTo({ method, path, schema, isForm }, random, document) {
  const url = path.replace(/\{(\w+)\}/g, (_, name) => segment(name, random));
  if (method === 'GET')
    return { method, url: `${url}?project_id=${encodeURIComponent(PROJECT)}`, headers: {} };
  const headers = { 'content-type': 'application/json' };
  if (path.includes('otel')) headers['project_id'] = PROJECT;
  if (isForm) return form(method, url, random);
  const value = random.chance(0.03) ? anything(random) : fromSchema(schema, random, document);
  return { method, url, headers, body: corrupted(print(value), random) };
}

function segment(name, random) {
  if (name === 'entity') return 'fuzz';
  if (name === 'project') return 'p';
  return encodeURIComponent(
    (random.chance(0.6) ? 'thing' : aString(random) || 'x').toWellFormed(),
  ).slice(0, 200);
}

function form(method, url, random) {
  const part = (name, value, extra = '') =>
    `--b\r\ncontent-disposition: form-data; name="${name}"${extra}\r\n\r\n${value}\r\n`;
  const parts = random.many(3, () =>
    random.of([
      part('project_id', PROJECT),
      part('file', aString(random), '; filename="a"'),
      part(random.of(['expected_digest', '__proto__', 'x']), 'y'),
    ]),
  );
  const body = corrupted(`${parts.join('')}--b--\r\n`, random);
  return { method, url, headers: { 'content-type': 'multipart/form-data; boundary=b' }, body };
}

function fromSchema(schema, random, document, depth = 6) {
  if (schema === undefined || depth === 0) return anything(random, 1);
  if (schema.$ref) return fromSchema(resolved(schema.$ref, document), random, document, depth);
  const options = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (options) return fromSchema(random.of(options), random, document, depth);
  if (schema.enum) return random.chance(0.9) ? random.of(schema.enum) : anything(random, 1);
  if (schema.type === 'array')
    return random.many(3, () => fromSchema(schema.items, random, document, depth - 1));
  if (schema.properties) return objectFrom(schema, random, document, depth);
  if (random.chance(0.05)) return anything(random, 1);
  if (schema.type === 'integer' || schema.type === 'number') return aNumber(random);
  if (schema.type === 'boolean') return random.chance(0.5);
  if (schema.type === 'string') return aString(random);
  return anything(random, 2);
}

function objectFrom({ properties, required = [] }, random, document, depth) {
  const made = {};
  for (const [name, schema] of Object.entries(properties)) {
    if (!random.chance(required.includes(name) ? 0.98 : 0.3)) continue;
    const known = Object.hasOwn(BY_NAME, name) && random.chance(0.93) ? BY_NAME[name] : undefined;
    const isPlain = schema.type !== undefined || schema.$ref === undefined;
    made[name] = known && isPlain ? known(random) : fromSchema(schema, random, document, depth - 1);
  }
  return made;
}

const resolved = (ref, document) =>
  ref
    .slice(2)
    .split('/')
    .reduce((at, name) => at[name], document);

/** Truncates a few bodies, or replaces one of their bytes. */
function corrupted(text, random) {
  if (!random.chance(0.03)) return Buffer.from(text);
  const bytes = Buffer.from(text);
  if (random.chance(0.5)) return bytes.subarray(0, random.below(bytes.length + 1));
  if (bytes.length > 0) bytes[random.below(bytes.length)] = random.below(256);
  return bytes;
}
