import { useEffect, useMemo, useRef } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useChangeSearch } from '../ui/change-search.js';
import { CopyButton } from '../ui/parts.js';
import { chatOf, type ChatMessage, type ChatPart } from './chat.js';
import { MarkdownView } from './markdown-view.js';
import { Files, Shown } from './media.js';
import { payloadQuery } from './use-call.js';
import css from './chat-tab.module.css';

const SHOWN_CHARACTERS = 20_000;

/** The messages of a call; undefined while its payloads are read. A payload that is cut has no messages. */
export function useChat(projectId: string, callId: string): readonly ChatMessage[] | undefined {
  const inputs = useQuery(payloadQuery(projectId, callId, 'inputs')).data;
  const output = useQuery(payloadQuery(projectId, callId, 'output')).data;
  const attributes = useQuery(payloadQuery(projectId, callId, 'attributes')).data;
  return useMemo(() => {
    if (!inputs || !output || !attributes) return undefined;
    const value = ({ text, isWhole }: typeof inputs): unknown =>
      isWhole && text !== '' ? JSON.parse(text) : undefined;
    return chatOf(value(inputs), value(output), value(attributes));
  }, [inputs, output, attributes]);
}

interface ChatTabProps {
  readonly projectId: string;
  readonly messages: readonly ChatMessage[];
}

export function ChatTab({ projectId, messages }: ChatTabProps) {
  const { msg, text } = useSearch({ strict: false });
  const isPlain = text === 'plain';
  const changeSearch = useChangeSearch();
  const marked = useRef<HTMLLIElement>(null);
  useEffect(() => marked.current?.scrollIntoView({ block: 'center' }), [msg]);
  const all = messages.flatMap(({ parts }) => parts);
  const called = new Set(all.flatMap((part) => (part.kind === 'call' ? [part.id] : [])));
  const results = new Map(
    all.flatMap((part) => (part.kind === 'result' && part.id !== '' ? [[part.id, part.text]] : [])),
  );
  /** Results are shown beside their call, and not a second time where they were sent. */
  const partsOf = ({ parts }: ChatMessage) =>
    parts.filter((part) => part.kind !== 'result' || !called.has(part.id));
  return (
    <>
      <div className={css.bar}>
        <button
          type="button"
          aria-pressed={isPlain}
          onClick={() => changeSearch({ text: isPlain ? '' : 'plain' })}
        >
          Plain text
        </button>
      </div>
      <ol className={css.chat}>
        {messages.map((message, index) =>
          partsOf(message).length === 0 && message.parts.length > 0 ? null : (
            // Messages have no identity of their own, and the list never changes its order.
            <li
              key={index}
              ref={msg === String(index) ? marked : undefined}
              aria-current={msg === String(index) || undefined}
              className={css[roleClass(message.role)]}
            >
              <span className={css.role}>
                {message.role} <CopyButton label="Copy link" text={() => messageLink(index)} />
              </span>
              {partsOf(message).map((part, place) => (
                <Part
                  key={place}
                  projectId={projectId}
                  part={part}
                  results={results}
                  isPlain={isPlain}
                />
              ))}
            </li>
          ),
        )}
      </ol>
    </>
  );
}

function messageLink(index: number): string {
  const url = new URL(location.href);
  url.searchParams.set('tab', 'chat');
  url.searchParams.set('msg', String(index));
  return url.href;
}

const roleClass = (role: string): string =>
  ['assistant', 'model', 'ai'].includes(role) ? 'model' : role === 'system' ? 'system' : 'other';

interface PartProps {
  readonly projectId: string;
  readonly part: ChatPart;
  /** By the id of the tool call. */
  readonly results: ReadonlyMap<string, string>;
  readonly isPlain: boolean;
}

function Part({ projectId, part, results, isPlain }: PartProps) {
  switch (part.kind) {
    case 'text':
      return <LongText text={part.text} isPlain={isPlain} />;
    case 'thinking':
      return (
        <details>
          <summary>Thinking</summary>
          <LongText text={part.text} isPlain={isPlain} />
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
              <LongText text={result} isPlain />
            </div>
          )}
        </div>
      );
    }
    case 'result':
      return <LongText text={part.text} isPlain />;
    case 'media':
      return <Shown type={part.type} url={part.url} name={`${part.type} of the message`} />;
    case 'files':
      return <Files projectId={projectId} files={part.files} />;
    case 'other':
      return <pre>{part.text.slice(0, SHOWN_CHARACTERS)}</pre>;
  }
}

interface LongTextProps {
  readonly text: string;
  readonly isPlain: boolean;
}

function LongText({ text, isPlain }: LongTextProps) {
  const shown = text.slice(0, SHOWN_CHARACTERS);
  return (
    <>
      {isPlain ? <p className={css.text}>{shown}</p> : <MarkdownView text={shown} />}
      {text.length > SHOWN_CHARACTERS && (
        <p className={css.role}>
          The first {SHOWN_CHARACTERS} of {text.length} characters; the tabs beside have the rest.
        </p>
      )}
    </>
  );
}
