import type { ObjectKind } from '@app/events';
import { ProblemError } from '@app/http';
import { memberSpans } from '@app/wire';

export interface ClassifiedValue {
  readonly val: Buffer;
  readonly kind: ObjectKind;
  /** Empty when the value has no class. */
  readonly baseClass: string;
  readonly leafClass: string;
}

/** Classes whose values the server completes. */
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

/** The value as it will be stored, with its classes. */
export function classified(val: Buffer, builtinClass?: string | null): ClassifiedValue {
  const isObject = val[0] === 0x7b;
  if (builtinClass && !isObject) {
    throw bad(`val must be a JSON object to be of the class ${builtinClass}`);
  }
  if (!isObject) return { val, kind: 'object', baseClass: '', leafClass: '' };
  const declared = classesOf(val);
  if (!builtinClass) return declared;
  if (declared.leafClass === '') return classesOf(completed(val, builtinClass));
  if (declared.leafClass === builtinClass) return declared;
  throw bad(
    `val is of the class ${declared.leafClass}, not of builtin_object_class ${builtinClass}`,
  );
}

function classesOf(val: Buffer): ClassifiedValue {
  const member = memberReader(val);
  const type = member('weave_type');
  const isOp =
    member('_type') !== undefined && (type as { type?: unknown } | undefined)?.type === 'Op';
  const kind = isOp ? 'op' : 'object';
  const bases = member('_bases');
  const leaf = member('_class_name');
  if (!Array.isArray(bases) || typeof leaf !== 'string' || !isWeaveObject(bases)) {
    return { val, kind, baseClass: '', leafClass: '' };
  }
  const base: unknown = bases.length > 2 ? bases.at(-3) : leaf;
  return { val, kind, baseClass: typeof base === 'string' ? base : '', leafClass: leaf };
}

function isWeaveObject(bases: readonly unknown[]): boolean {
  const root = bases.at(-2);
  return bases.at(-1) === 'BaseModel' && (root === 'Object' || root === 'BaseObject');
}

function completed(val: Buffer, name: string): Buffer {
  if (!BUILTIN.includes(name))
    throw bad(`${JSON.stringify(name.slice(0, 60))} is not a known class`);
  const member = memberReader(val);
  const declared = member('_class_name');
  if (typeof declared === 'string' && declared !== name) {
    throw bad(`val declares the class ${declared}, not builtin_object_class ${name}`);
  }
  const added = { _type: name, _class_name: name, _bases: BUILTIN_BASES };
  return withMembers(val, { ...defaultsOf(name, member), ...added });
}

/** The digest of an annotation spec covers its defaults, so they are part of the value. */
function defaultsOf(name: string, member: (key: string) => unknown): Record<string, unknown> {
  if (name !== 'AnnotationSpec') return {};
  const schema = member('field_schema');
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) {
    throw bad('field_schema of an AnnotationSpec must be a JSON schema');
  }
  const defaults = { name: null, description: null, unique_among_creators: false, op_scope: null };
  return Object.fromEntries(Object.entries(defaults).filter(([key]) => member(key) === undefined));
}

/** The text of the object with these members instead of its own of the same names. */
function withMembers(val: Buffer, members: Readonly<Record<string, unknown>>): Buffer {
  const others = [...memberSpans(val)]
    .filter(([key]) => !(key in members))
    .map(([key, { start, end }]) => `${JSON.stringify(key)}:${val.toString('utf8', start, end)}`);
  const added = Object.entries(members).map(
    ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`,
  );
  return Buffer.from(`{${[...others, ...added].join(',')}}`);
}

function memberReader(val: Buffer): (key: string) => unknown {
  const spans = memberSpans(val);
  return (key) => {
    const span = spans.get(key);
    return span && (JSON.parse(val.toString('utf8', span.start, span.end)) as unknown);
  };
}

const bad = (why: string) => new ProblemError('invalid_request', `${why}.`);
