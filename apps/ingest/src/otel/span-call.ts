import { createHash } from 'node:crypto';
import { JsonText, micros, parseTimestamp, printTimestamp } from '@app/wire';
import { AttributeTree } from './attribute-tree.js';
import { printAttribute } from './print-attribute.js';
import {
  ATTRIBUTE_KEYS,
  CONVERSATION_KEYS,
  INPUT_KEYS,
  MODEL_KEYS,
  OUTPUT_KEYS,
  THREAD_KEYS,
} from './span-fields.js';
import { dumpOf, type Made } from './span-dump.js';
import { usageOf } from './span-usage.js';
import { booleanOf, numberOf, textOf } from './span-values.js';
import { SpanError, type Attributes, type AttributeValue, type Span } from './span.js';

const OP_NAME_MAX = 128;
const STATUS_ERROR = 2;

/**
 * A span as the record of a whole call, in JSON. The same span always gives the same text, so a span that is sent again
 * is the same fact. A SpanError says why a span cannot be one.
 */
export function callOfSpan(span: Span, made: Made, projectId: string): Buffer {
  requireIds(span);
  const tree = new AttributeTree(span.attributes);
  const first = (keys: readonly string[]) =>
    keys.map((key) => tree.at(key)).find((value) => value !== undefined);
  const text = (...keys: string[]) => textOf(first(keys));
  const attributes = attributesOf(tree, first);
  const conversation = text(...CONVERSATION_KEYS);
  const thread = conversation ?? text(...THREAD_KEYS);
  const usage = usageOf(tree);
  const inputs = inputsOf(tree);
  const output = outputOf(tree);
  const isUnknown = [usage, inputs, output].every((part) => part === undefined);
  const record = new Map<string, AttributeValue | undefined>([
    ['project_id', projectId],
    ['id', span.spanId],
    ['trace_id', span.traceId],
    ['parent_id', span.parentSpanId || undefined],
    ['op_name', opName(span.name)],
    ['display_name', text('wandb.display_name')],
    ['thread_id', thread],
    ['turn_id', thread && isTurn(tree, conversation) ? span.spanId : undefined],
    ['started_at', timestamp(text('langfuse.startTime'), span.startNanos)],
    ['ended_at', timestamp(text('langfuse.endTime'), span.endNanos || span.startNanos)],
    ['attributes', isUnknown && attributes.size === 0 ? tree.whole() : withUser(attributes, tree)],
    ['inputs', inputs ?? new Map()],
    ['output', output],
    ['exception', exceptionOf(span)],
    ['summary', summaryOf(usage, text(...MODEL_KEYS))],
    ['otel_dump', dumpOf(span, made)],
    ['wb_run_id', text('wandb.wb_run_id')],
    ['wb_run_step', numberOf(tree.at('wandb.wb_run_step'))],
    ['wb_run_step_end', numberOf(tree.at('wandb.wb_run_step_end'))],
  ]);
  const known = [...record].filter((entry): entry is [string, AttributeValue] => {
    return entry[1] !== undefined;
  });
  return Buffer.from(printAttribute(new Map(known)));
}

export function requireIds({ traceId, spanId, parentSpanId, startNanos }: Span): void {
  if (!isId(traceId, 32)) throw new SpanError(`the trace id ${shown(traceId)} is not valid`);
  if (!isId(spanId, 16)) throw new SpanError(`the span id ${shown(spanId)} is not valid`);
  if (parentSpanId !== '' && !isId(parentSpanId, 16)) {
    throw new SpanError(`the parent span id ${shown(parentSpanId)} is not valid`);
  }
  if (startNanos === 0n) throw new SpanError(`span ${spanId} has no start time`);
}

const isId = (id: string, digits: number) =>
  id.length === digits && /^[0-9a-f]+$/.test(id) && !/^0+$/.test(id);

const shown = (id: string) => JSON.stringify(id.slice(0, 40));

/** Too long a name keeps its beginning and stays distinct. */
function opName(name: string): string {
  if (name.length <= OP_NAME_MAX) return name || 'unknown';
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 4);
  return `${name.slice(0, OP_NAME_MAX - 5)}:${hash}`;
}

const LATEST_NANOS = 8_640_000_000_000_000_000_000n;

function timestamp(override: string | undefined, nanos: bigint): string {
  const given = override === undefined ? undefined : parseTimestamp(override);
  const known = nanos > LATEST_NANOS ? LATEST_NANOS : nanos;
  return printTimestamp(given ?? micros(Number(known / 1000n)));
}

function isTurn(tree: AttributeTree, conversation: string | undefined): boolean {
  return booleanOf(tree.at('wandb.is_turn')) ?? conversation !== undefined;
}

/** Under the name it was found at; a lone object called input is the inputs themselves. */
function inputsOf(tree: AttributeTree): AttributeValue | undefined {
  const found = firstOf(tree, INPUT_KEYS);
  if (found === undefined) return undefined;
  const [key, value] = found;
  const isLone = key === 'input' || key === 'inputs';
  return isLone && hasMembers(value) ? value : new Map([[key, value]]);
}

function outputOf(tree: AttributeTree): AttributeValue | undefined {
  const found = firstOf(tree, OUTPUT_KEYS);
  if (found === undefined) return undefined;
  const [key, value] = found;
  return key === 'output' || key === 'outputs' ? value : new Map([[key, value]]);
}

function firstOf(
  tree: AttributeTree,
  keys: readonly string[],
): [string, AttributeValue] | undefined {
  for (const key of keys) {
    const value = tree.at(key);
    if (value !== undefined) return [key, value];
  }
  return undefined;
}

const hasMembers = (value: AttributeValue) =>
  value instanceof Map || (value instanceof JsonText && value.isObject);

function attributesOf(
  tree: AttributeTree,
  first: (keys: readonly string[]) => AttributeValue | undefined,
): Attributes {
  const attributes = new Map<string, AttributeValue>();
  for (const [name, keys] of Object.entries(ATTRIBUTE_KEYS)) {
    const value = first(keys);
    if (value !== undefined) attributes.set(name, value);
  }
  for (const [key, value] of tree.membersAt('wandb.attributes')) attributes.set(key, value);
  return attributes;
}

/** Every kind of span may name its user. That alone does not make an unknown span a known one. */
function withUser(attributes: Attributes, tree: AttributeTree): Attributes {
  const id = tree.at('user.id');
  if (id === undefined || attributes.has('user')) return attributes;
  return new Map([...attributes, ['user', new Map([['id', id]])]]);
}

/** An error without a message is still an error. */
function exceptionOf({ status, events }: Span): string | undefined {
  if (status.code !== STATUS_ERROR) return undefined;
  if (status.message !== '') return status.message;
  const raised = events.find(({ name }) => name === 'exception')?.attributes;
  const told = [raised?.get('exception.type'), raised?.get('exception.message')].map(textOf);
  return told.filter(Boolean).join(': ') || 'Error';
}

function summaryOf(
  usage: ReadonlyMap<string, AttributeValue> | undefined,
  model: string | undefined,
): AttributeValue {
  if (usage === undefined) return new Map();
  return new Map([['usage', new Map([[model || 'usage', usage]])]]);
}
