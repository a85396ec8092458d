import type { AgentMessage } from '@app/events';

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Messages in one form, from any of the conventions. A value that is no list of messages is one message of this role. */
export function messagesOf(value: unknown, role: string): AgentMessage[] {
  if (value === undefined || value === null || value === '') return [];
  if (Array.isArray(value)) return value.map((one) => messageOf(one, role));
  if (isObject(value) && Array.isArray(value['messages']))
    return messagesOf(value['messages'], role);
  return [messageOf(value, role)];
}

/** OpenInference puts each message under `message`. */
function messageOf(value: unknown, role: string): AgentMessage {
  if (!isObject(value)) return { role, content: textOf(value), finish_reason: '' };
  const message = isObject(value['message']) ? value['message'] : value;
  const isMessage = ['role', 'content', 'parts'].some((name) => Object.hasOwn(message, name));
  if (!isMessage) return { role, content: textOf(value), finish_reason: '' };
  const { role: given, content, parts, contents, finish_reason, ...rest } = message;
  const own = isObject(rest['message.content']) ? rest['message.content'] : content;
  return {
    role: typeof given === 'string' && given !== '' ? given : role,
    content: contentOf(parts ?? own ?? contents, rest),
    finish_reason: typeof finish_reason === 'string' ? finish_reason : '',
  };
}

/** Parts that are only text become text. Anything else, such as a tool call, stays JSON. */
function contentOf(content: unknown, rest: Fields): string {
  if (Array.isArray(content)) {
    const texts = content.map(textPart);
    return texts.every((text) => text !== undefined) ? texts.join('\n') : JSON.stringify(content);
  }
  if (content === undefined || content === null) {
    return Object.keys(rest).length > 0 ? JSON.stringify(rest) : '';
  }
  return textOf(content);
}

function textPart(part: unknown): string | undefined {
  if (typeof part === 'string') return part;
  if (!isObject(part) || (part['type'] !== undefined && part['type'] !== 'text')) return undefined;
  const text = part['content'] ?? part['text'];
  return typeof text === 'string' ? text : undefined;
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** The reasoning among the parts of messages. */
export function reasoningIn(value: unknown): string {
  if (!Array.isArray(value)) return '';
  const parts = value.flatMap((one) =>
    isObject(one) && Array.isArray(one['parts']) ? (one['parts'] as unknown[]) : [],
  );
  return parts
    .filter((part): part is Fields => isObject(part) && part['type'] === 'reasoning')
    .map((part) => textOf(part['content'] ?? ''))
    .join('\n');
}

/** The texts of a list: strings, or parts with text. */
export function textsOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.map((one) => textPart(one) ?? textOf(one));
}
