import { chatOf, type ChatMessage } from '../call/chat.js';

export interface TurnTexts {
  readonly input: string;
  readonly reply: string;
}

/** The input and the reply of a turn: the words of them, or their JSON where there are none. */
export function turnTexts(inputs: string, output: string): TurnTexts {
  const [given, returned] = [parsed(inputs), parsed(output)];
  const messages = chatOf(given, returned, undefined);
  const input = messages.findLast(({ role }) => role === 'user');
  const reply = messages.at(-1);
  return {
    input: input ? wordsOf(input) : onlyText(given, inputs),
    reply:
      reply !== undefined && reply !== input && reply.role !== 'user'
        ? wordsOf(reply)
        : onlyText(returned, output),
  };
}

/** Undefined for a text that is cut. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const wordsOf = ({ parts }: ChatMessage): string =>
  parts
    .map((part) => ('text' in part ? part.text : part.kind === 'call' ? `${part.name}(…)` : ''))
    .filter(Boolean)
    .join('\n');

/** The text itself, or the only text among the members of an object; else the JSON. */
function onlyText(value: unknown, json: string): string {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  if (typeof value !== 'object' || Array.isArray(value)) return json;
  const texts = Object.entries(value).filter(
    ([key, one]) => key !== 'self' && typeof one === 'string' && !one.startsWith('weave:///'),
  );
  return texts.length === 1 ? (texts[0]![1] as string) : json;
}
