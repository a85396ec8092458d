import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { chatOf, type ChatMessage, type ChatPart } from './chat.js';
import { payloadQuery } from './use-call.js';
import css from './chat-tab.module.css';

const SHOWN_CHARACTERS = 20_000;

/** The messages of a call; undefined while its payloads are read. A payload that is cut has no messages. */
export function useChat(projectId: string, callId: string): readonly ChatMessage[] | undefined {
  const inputs = useQuery(payloadQuery(projectId, callId, 'inputs', false)).data;
  const output = useQuery(payloadQuery(projectId, callId, 'output', false)).data;
  const attributes = useQuery(payloadQuery(projectId, callId, 'attributes', false)).data;
  return useMemo(() => {
    if (!inputs || !output || !attributes) return undefined;
    const value = ({ text, isWhole }: typeof inputs): unknown =>
      isWhole && text !== '' ? JSON.parse(text) : undefined;
    return chatOf(value(inputs), value(output), value(attributes));
  }, [inputs, output, attributes]);
}

export function ChatTab({ messages }: { readonly messages: readonly ChatMessage[] }) {
  const results = new Map(
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.kind === 'result' && part.id !== '' ? [[part.id, part.text]] : [],
      ),
    ),
  );
  return (
    <ol className={css.chat}>
      {messages.map((message, index) => (
        // Messages have no identity of their own, and the list never changes its order.
        <li key={index} id={`message-${index}`} className={css[roleClass(message.role)]}>
          <span className={css.role}>{message.role}</span>
          {message.parts.map((part, place) => (
            <Part key={place} part={part} results={results} />
          ))}
        </li>
      ))}
    </ol>
  );
}

const roleClass = (role: string): string =>
  ['assistant', 'model', 'ai'].includes(role) ? 'model' : role === 'system' ? 'system' : 'other';

interface PartProps {
  readonly part: ChatPart;
  /** By the id of the tool call. */
  readonly results: ReadonlyMap<string, string>;
}

function Part({ part, results }: PartProps) {
  switch (part.kind) {
    case 'text':
      return <LongText text={part.text} />;
    case 'thinking':
      return (
        <details>
          <summary>Thinking</summary>
          <LongText text={part.text} />
        </details>
      );
    case 'call': {
      const result = results.get(part.id);
      return (
        <div className={css.tool}>
          <div>
            <span className={css.toolName}>{part.name}</span>
            <pre tabIndex={0}>{part.args}</pre>
          </div>
          {result !== undefined && (
            <div>
              <span className={css.toolName}>result</span>
              <LongText text={result} />
            </div>
          )}
        </div>
      );
    }
    case 'result':
      return <LongText text={part.text} />;
    case 'image':
      return <img src={part.url} alt="An image of the message" className={css.image} />;
    case 'other':
      return <pre>{part.text.slice(0, SHOWN_CHARACTERS)}</pre>;
  }
}

function LongText({ text }: { readonly text: string }) {
  if (text.length <= SHOWN_CHARACTERS) return <p className={css.text}>{text}</p>;
  return (
    <>
      <p className={css.text}>{text.slice(0, SHOWN_CHARACTERS)}</p>
      <p className={css.role}>
        The first {SHOWN_CHARACTERS} of {text.length} characters; the tabs beside have the rest.
      </p>
    </>
  );
}
