import type { ObjectKind } from '@app/events';
import { ProblemError } from '@app/http';
import { memberSpans } from '@app/wire';

/** What a value says about itself. */
export interface Classed {
  readonly val: Buffer;
  readonly kind: ObjectKind;
  /** Empty for a value without a class. */
  readonly baseClass: string;
  readonly leafClass: string;
}

/** Classes the server completes values for. */
const BUILTIN: readonly string[] = [
  'Leaderboard',
  'AlertSpec',
  'AnnotationSpec',
  'Provider',
  'ProviderModel',
  'SavedView',
  'ComparisonView',
  'LLMStructuredCompletionModel',
  'ChartConfig',
  'AgentDashboard',
];
const BUILTIN_BASES = ['BaseObject', 'BaseModel'];

/** The value as it will be stored, and the classes it belongs to. */
export function classed(val: Buffer, builtinClass?: string | null): Classed {
  const isObject = val[0] === 0x7b;
  if (builtinClass && !isObject) {
    throw bad(`val must be a JSON object to be of the class ${builtinClass}`);
  }
  if (!isObject) return { val, kind: 'object', baseClass: '', leafClass: '' };
  const given = classesOf(val);
  if (!builtinClass) return given;
  if (given.leafClass === '') return classesOf(completed(val, builtinClass));
  if (given.leafClass === builtinClass) return given;
  throw bad(`val is of the class ${given.leafClass}, not of builtin_object_class ${builtinClass}`);
}

function classesOf(val: Buffer): Classed {
  const member = reader(val);
  const type = member('weave_type');
  const isOp =
    member('_type') !== undefined && (type as { type?: unknown } | undefined)?.type === 'Op';
  const kind = isOp ? 'op' : 'object';
  const bases = member('_bases');
  const leaf = member('_class_name');
  if (!Array.isArray(bases) || typeof leaf !== 'string' || !isOurs(bases)) {
    return { val, kind, baseClass: '', leafClass: '' };
  }
  return { val, kind, baseClass: bases.length > 2 ? String(bases.at(-3)) : leaf, leafClass: leaf };
}

function isOurs(bases: readonly unknown[]): boolean {
  const root = bases.at(-2);
  return bases.at(-1) === 'BaseModel' && (root === 'Object' || root === 'BaseObject');
}

function completed(val: Buffer, name: string): Buffer {
  if (!BUILTIN.includes(name)) throw bad(`${JSON.stringify(name.slice(0, 60))} is no known class`);
  const member = reader(val);
  const declared = member('_class_name');
  if (typeof declared === 'string' && declared !== name) {
    throw bad(`val declares the class ${declared}, not builtin_object_class ${name}`);
  }
  const added = { _type: name, _class_name: name, _bases: BUILTIN_BASES };
  return withMembers(val, { ...defaultsOf(name, member), ...added });
}

/** An annotation spec is complete: what it leaves open is part of its digest. */
function defaultsOf(name: string, member: (key: string) => unknown): Record<string, unknown> {
  if (name !== 'AnnotationSpec') return {};
  const schema = member('field_schema');
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) {
    throw bad('field_schema of an AnnotationSpec must be a JSON schema');
  }
  const defaults = { name: null, description: null, unique_among_creators: false, op_scope: null };
  return Object.fromEntries(Object.entries(defaults).filter(([key]) => member(key) === undefined));
}

/** The object's text with these members, and no others of their names. */
function withMembers(val: Buffer, members: Readonly<Record<string, unknown>>): Buffer {
  const kept = [...memberSpans(val)]
    .filter(([key]) => !(key in members))
    .map(([key, { start, end }]) => `${JSON.stringify(key)}:${val.toString('utf8', start, end)}`);
  const added = Object.entries(members).map(
    ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`,
  );
  return Buffer.from(`{${[...kept, ...added].join(',')}}`);
}

function reader(val: Buffer): (key: string) => unknown {
  const spans = memberSpans(val);
  return (key) => {
    const span = spans.get(key);
    return span && (JSON.parse(val.toString('utf8', span.start, span.end)) as unknown);
  };
}

const bad = (why: string) => new ProblemError('invalid_request', `${why}.`);
