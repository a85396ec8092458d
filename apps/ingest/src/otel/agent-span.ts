import type { AgentSpanBody } from '@app/events';
import { micros, type Micros } from '@app/wire';
import {
  AGENT_COLUMNS,
  isCustom,
  KIND_KEYS,
  LIST_FIELDS,
  MESSAGE_KEYS,
  NUMBER_FIELDS,
  OPERATION_OF_KIND,
  REASONING_TOKENS,
  TEXT_FIELDS,
} from './agent-fields.js';
import { messagesOf, reasoningIn, textsOf } from './agent-messages.js';
import { AttributeTree } from './attribute-tree.js';
import { printAttribute } from './print-attribute.js';
import { requireIds } from './span-call.js';
import { dumpOf, type Made } from './span-dump.js';
import { usageOf } from './span-usage.js';
import { numberOf, textOf } from './span-values.js';
import type { Attributes, AttributeValue, Span } from './span.js';

const STATUS = ['UNSET', 'OK', 'ERROR'];
const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];
const NAME_MAX = 1024;

/** What a span of an agent says, in one form for all instrumentations. A SpanError says why there is none. */
export function agentSpanBody(span: Span, made: Made): AgentSpanBody {
  requireIds(span);
  const tree = new AttributeTree(span.attributes);
  const output = plainOf(firstOf(tree, MESSAGE_KEYS.output));
  const usage = usageOf(tree);
  const reasoning = firstNumber(tree, REASONING_TOKENS);
  return {
    columns: columnsOf(span, tree),
    fields: { ...fieldsOf(tree), ...withText('reasoning_content', reasoningIn(output)) },
    ...(usage && { usage: plainOf(usage) as Record<string, unknown> }),
    ...(reasoning !== undefined && { reasoning: Math.round(reasoning) }),
    custom: customOf(span.attributes),
    messages: {
      input: messagesOf(plainOf(firstOf(tree, MESSAGE_KEYS.input)), 'user'),
      output: messagesOf(output, 'assistant'),
    },
    dump: plainOf(dumpOf(span, made)),
  };
}

function columnsOf(span: Span, tree: AttributeTree): Record<string, string> {
  const columns: Record<string, string> = {
    parent_span_id: span.parentSpanId,
    span_name: span.name.slice(0, NAME_MAX),
    span_kind: KINDS[span.kind] ?? KINDS[0]!,
    status_code: STATUS[span.status.code] ?? STATUS[0]!,
    status_message: span.status.message,
  };
  for (const [name, keys] of Object.entries(AGENT_COLUMNS)) {
    const text = textOf(firstOf(tree, keys));
    if (text) columns[name] = text.slice(0, NAME_MAX);
  }
  columns['operation_name'] ??= operationOf(tree);
  columns['error_type'] ??= raisedType(span);
  return columns;
}

function operationOf(tree: AttributeTree): string {
  const kind = textOf(firstOf(tree, KIND_KEYS))?.toLowerCase() ?? '';
  return Object.hasOwn(OPERATION_OF_KIND, kind) ? OPERATION_OF_KIND[kind]! : '';
}

function raisedType({ events }: Span): string {
  const raised = events.find(({ name }) => name === 'exception');
  return textOf(raised?.attributes.get('exception.type')) ?? '';
}

function fieldsOf(tree: AttributeTree): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, keys] of Object.entries(TEXT_FIELDS)) {
    const value = firstOf(tree, keys);
    if (value !== undefined) fields[name] = textOf(value) ?? printAttribute(value);
  }
  for (const [name, keys] of Object.entries(NUMBER_FIELDS)) {
    const number = firstNumber(tree, keys);
    if (number !== undefined) fields[name] = number;
  }
  for (const [name, keys] of Object.entries(LIST_FIELDS)) {
    const texts = textsOf(plainOf(firstOf(tree, keys)));
    if (texts.length > 0) fields[name] = texts;
  }
  return fields;
}

const withText = (name: string, text: string) => (text === '' ? {} : { [name]: text });

/** The client's own attributes by type. An integer that JSON cannot carry, a list and an object are texts. */
function customOf(attributes: Attributes): AgentSpanBody['custom'] {
  const custom = {
    string: {} as Record<string, string>,
    int: {} as Record<string, number>,
    float: {} as Record<string, number>,
    bool: {} as Record<string, boolean>,
  };
  const set = <T>(values: Record<string, T>, key: string, value: T) =>
    Object.defineProperty(values, key, { value, enumerable: true, configurable: true });
  for (const [key, value] of attributes) {
    if (!isCustom(key)) continue;
    if (typeof value === 'boolean') set(custom.bool, key, value);
    else if (typeof value === 'string') set(custom.string, key, value);
    else if (typeof value === 'bigint' && Number.isSafeInteger(Number(value)))
      set(custom.int, key, Number(value));
    else if (typeof value === 'number' && Number.isFinite(value)) set(custom.float, key, value);
    else set(custom.string, key, printAttribute(value));
  }
  return custom;
}

function firstOf(tree: AttributeTree, keys: readonly string[]): AttributeValue | undefined {
  return keys.map((key) => tree.at(key)).find((value) => value !== undefined);
}

const firstNumber = (tree: AttributeTree, keys: readonly string[]): number | undefined =>
  keys.map((key) => numberOf(tree.at(key))).find((number) => number !== undefined);

/** As values of JSON. */
const plainOf = (value: AttributeValue | undefined): unknown =>
  value === undefined ? undefined : (JSON.parse(printAttribute(value)) as unknown);

const YEAR_2000 = Date.UTC(2000, 0, 1) * 1000;
const YEAR_2200 = Date.UTC(2200, 0, 1) * 1000;

/** Within the range of the column. A span that is sent again has the same time. */
export const timeOf = (nanos: bigint): Micros =>
  micros(Math.min(Math.max(Number(nanos / 1000n), YEAR_2000), YEAR_2200));
