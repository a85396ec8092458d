import { embeddedType, filesIn, fileType, type FileDigests } from './media-types.js';

/** A message of a conversation with a model, whatever provider it was for. */
export interface ChatMessage {
  readonly role: string;
  readonly parts: readonly ChatPart[];
}

export type ChatPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly args: string }
  | {
      readonly kind: 'result';
      readonly id: string;
      readonly text: string;
      /** Of the tool; Gemini names it and gives no id. */
      readonly name?: string;
    }
  /** A `data:` text of a type that may be shown. */
  | { readonly kind: 'media'; readonly type: string; readonly url: string }
  | { readonly kind: 'files'; readonly files: FileDigests }
  | { readonly kind: 'other'; readonly text: string };

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const objectsIn = (value: unknown): readonly Json[] =>
  isList(value) ? value.filter(isObject) : [];
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);
/** An id or a name; empty when it is neither text nor number. */
const word = (value: unknown, otherwise = ''): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : otherwise;
const part = (value: unknown): readonly ChatPart[] =>
  value === undefined || value === null || value === ''
    ? []
    : [{ kind: 'text', text: textOf(value) }];

/**
 * The messages of a call, or nothing when it is not a call of a model. Understands the formats of OpenAI (chat and
 * responses), Anthropic, Gemini and of OpenTelemetry's conventions for generative AI.
 */
export function chatOf(
  inputs: unknown,
  output: unknown,
  attributes: unknown,
): readonly ChatMessage[] {
  const requested = isObject(inputs) ? requestOf(inputs) : [];
  const semantic = isObject(attributes) ? semanticOf(attributes) : [];
  if (requested.length > 0) return withIds([...requested, ...responseOf(output)]);
  return withIds(semantic);
}

/** A result without an id belongs to the first call of its tool that has no result yet; both get an id of the page. */
function withIds(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const waiting: { readonly name: string; readonly id: string }[] = [];
  const idOf = (part: ChatPart, otherwise: string): string => {
    if (part.kind === 'call') {
      waiting.push({ name: part.name, id: otherwise });
      return otherwise;
    }
    const wanted = part.kind === 'result' ? part.name : undefined;
    const found = waiting.findIndex(({ name }) => wanted === undefined || name === wanted);
    return found < 0 ? '' : waiting.splice(found, 1)[0]!.id;
  };
  return messages.map((message, index) => ({
    ...message,
    parts: message.parts.map((part, place) =>
      (part.kind === 'call' || part.kind === 'result') && part.id === ''
        ? { ...part, id: idOf(part, `message ${index} part ${place}`) }
        : part,
    ),
  }));
}

function requestOf(inputs: Json): readonly ChatMessage[] {
  const body = isObject(inputs['kwargs']) ? { ...inputs, ...inputs['kwargs'] } : inputs;
  const list = [body['messages'], body['input'], body['contents']].find(isMessages);
  if (list === undefined) return [];
  const system = body['system'] ?? body['instructions'] ?? body['system_instruction'];
  const first: readonly ChatMessage[] =
    system === undefined || system === null ? [] : [{ role: 'system', parts: partsOf(system) }];
  return [...first, ...objectsIn(list).map(messageOf)];
}

const isMessages = (value: unknown): boolean =>
  objectsIn(value).length > 0 &&
  objectsIn(value).every((one) => 'role' in one || 'parts' in one || 'type' in one);

function responseOf(output: unknown): readonly ChatMessage[] {
  if (typeof output === 'string') return [{ role: 'assistant', parts: part(output) }];
  if (isList(output)) return isMessages(output) ? objectsIn(output).map(messageOf) : [];
  if (!isObject(output)) return [];
  const choices = objectsIn(output['choices']).map(({ message }) => message);
  const candidates = objectsIn(output['candidates']).map(({ content }) => content);
  const items = isMessages(output['output']) ? objectsIn(output['output']) : [];
  const found = [...choices, ...candidates, ...items].filter(isObject);
  if (found.length > 0) return found.map((one) => messageOf({ role: 'assistant', ...one }));
  if ('role' in output || 'content' in output) return [messageOf({ role: 'assistant', ...output })];
  return [];
}

/** `gen_ai.input.messages` and `gen_ai.output.messages`, flat or nested, as JSON or as text of JSON. */
function semanticOf(attributes: Json): readonly ChatMessage[] {
  const names = ['system_instructions', 'input.messages', 'output.messages'];
  return names.flatMap((name) => {
    const value = parsed(member(attributes, ['gen_ai', ...name.split('.')]));
    if (name === 'system_instructions') {
      return isList(value) ? [{ role: 'system', parts: partsOf(value) }] : [];
    }
    return objectsIn(value).map(messageOf);
  });
}

/** The value of a path whose keys may contain dots. */
function member(value: unknown, keys: readonly string[]): unknown {
  if (keys.length === 0) return value;
  if (!isObject(value)) return undefined;
  for (let count = keys.length; count > 0; count--) {
    const key = keys.slice(0, count).join('.');
    const found = key in value ? member(value[key], keys.slice(count)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    // Plain text where messages could be: it is shown as an attribute only.
    return undefined;
  }
}

function messageOf(message: Json): ChatMessage {
  const role =
    typeof message['role'] === 'string' ? message['role'] : word(message['type'], 'user');
  if (typeof message['type'] === 'string' && message['type'].startsWith('function_call')) {
    return { role, parts: [itemOf(message)] };
  }
  const toolCalls = objectsIn(message['tool_calls']).map((call): ChatPart => {
    const fn = isObject(call['function']) ? call['function'] : call;
    return {
      kind: 'call',
      id: word(call['id']),
      name: word(fn['name']),
      args: pretty(fn['arguments'] ?? fn['args'] ?? fn['input']),
    };
  });
  const content = message['content'] ?? message['parts'];
  if (role === 'tool' && message['tool_call_id'] !== undefined) {
    const text = partsOf(content)
      .map((one) => ('text' in one ? one.text : ''))
      .join('\n');
    return { role, parts: [{ kind: 'result', id: word(message['tool_call_id']), text }] };
  }
  const thinking = message['reasoning_content'];
  return {
    role,
    parts: [
      ...(typeof thinking === 'string' ? [{ kind: 'thinking', text: thinking } as const] : []),
      ...partsOf(content),
      ...spoken(message['audio']),
      ...toolCalls,
    ],
  };
}

function partsOf(content: unknown): readonly ChatPart[] {
  const files = filesIn(content);
  if (files !== undefined) return [{ kind: 'files', files }];
  if (isObject(content) && isList(content['parts'])) return partsOf(content['parts']);
  if (!isList(content)) return part(content);
  return content.map((one) => (isObject(one) ? itemOf(one) : { kind: 'text', text: textOf(one) }));
}

function itemOf(item: Json): ChatPart {
  const type = word(item['type']);
  const call = item['functionCall'] ?? item['function_call'];
  const response = item['functionResponse'] ?? item['function_response'];
  if (isObject(call)) {
    return {
      kind: 'call',
      id: word(call['id']),
      name: word(call['name']),
      args: pretty(call['args']),
    };
  }
  if (isObject(response)) {
    return {
      kind: 'result',
      id: word(response['id']),
      name: word(response['name']),
      text: pretty(response['response']),
    };
  }
  if (['tool_use', 'tool_call', 'function_call'].includes(type)) {
    return {
      kind: 'call',
      id: word(item['call_id'] ?? item['id']),
      name: word(item['name']),
      args: pretty(item['input'] ?? item['arguments']),
    };
  }
  if (['tool_result', 'tool_call_response', 'function_call_output'].includes(type)) {
    const id = word(item['tool_use_id'] ?? item['call_id'] ?? item['id']);
    const value = item['content'] ?? item['output'] ?? item['response'] ?? item['result'];
    return { kind: 'result', id, text: resultText(value) };
  }
  const text = item['text'] ?? item['thinking'] ?? (type === 'text' ? item['content'] : undefined);
  if (typeof text === 'string') {
    return { kind: ['thinking', 'reasoning'].includes(type) ? 'thinking' : 'text', text };
  }
  return mediaOf(item) ?? { kind: 'other', text: pretty(item) };
}

function resultText(value: unknown): string {
  const parts = isList(value) ? partsOf(value) : [];
  const isText = parts.length > 0 && parts.every((one) => one.kind === 'text');
  return isText ? parts.map((one) => ('text' in one ? one.text : '')).join('\n') : pretty(value);
}

/** Images and sounds inside the payload or stored beside it: the page loads nothing from elsewhere. */
function mediaOf(item: Json): ChatPart | undefined {
  const names = ['image_url', 'input_audio', 'source', 'inlineData', 'inline_data'];
  const holder = names.map((name) => item[name]).find((one) => one !== undefined);
  const value = isObject(holder) ? (holder['url'] ?? holder['data']) : holder;
  const files = filesIn(item) ?? filesIn(holder) ?? filesIn(value);
  if (files !== undefined) return { kind: 'files', files };
  if (typeof value !== 'string') return undefined;
  if (isObject(holder) && holder['url'] === undefined) return embedded(dataUrl(holder, value));
  return value.startsWith('data:') ? embedded(value) : { kind: 'other', text: value };
}

/** What a model of OpenAI has said, with its text. */
function spoken(audio: unknown): readonly ChatPart[] {
  if (!isObject(audio)) return [];
  const { data, transcript } = audio;
  const sound = typeof data === 'string' ? [embedded(dataUrl(audio, data))] : [];
  return [...sound, ...part(transcript)];
}

/** OpenAI names the format of a sound, the others a media type. */
function dataUrl(holder: Json, data: string): string {
  const given = holder['media_type'] ?? holder['mimeType'] ?? holder['mime_type'];
  const format = word(holder['format'], 'wav');
  const type = typeof given === 'string' ? given : (fileType(`audio.${format}`) ?? format);
  return `data:${type};base64,${data}`;
}

const NAMED_CHARACTERS = 40;

/** SVG, which may contain scripts, is named and not shown, as all other types. */
function embedded(url: string): ChatPart {
  const type = embeddedType(url);
  if (type !== undefined) return { kind: 'media', type, url };
  return { kind: 'other', text: `${url.slice(0, NAMED_CHARACTERS)}… is not shown.` };
}

/** Arguments are often JSON inside a string. */
function pretty(value: unknown): string {
  const inner = typeof value === 'string' ? (parsed(value) ?? value) : value;
  return typeof inner === 'string' ? inner : (JSON.stringify(inner, null, 2) ?? '');
}
