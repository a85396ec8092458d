import { useState } from 'react';
import type { JsonRow } from './json-document.js';
import type { JsonSource } from './json-source.js';
import { EmbeddedMedia, Files } from './media.js';
import { embeddedType } from './media-types.js';
import { refHref } from './ref-link.js';
import css from './json-view.module.css';

/** More of a string than this is for a file, not for a screen. */
const LONG_CHARACTERS = 20_000;

interface JsonValueProps {
  readonly projectId: string;
  readonly source: JsonSource;
  readonly row: JsonRow;
}

export function JsonValue({ projectId, source, row }: JsonValueProps) {
  const { kind, isOpen, text, files } = row;
  if (files !== undefined) return <Files projectId={projectId} files={files} />;
  if (kind === 'object' || kind === 'array') {
    return isOpen ? null : <span className={css.preview}>{text}</span>;
  }
  if (kind !== 'string') return <span className={css[kind]}>{text}</span>;
  return <StringValue source={source} row={row} />;
}

function StringValue({ source, row }: Omit<JsonValueProps, 'projectId'>) {
  const [long, setLong] = useState<string | undefined>();
  const { keys, text, isMore, isCut } = row;
  const type = isCut ? undefined : embeddedType(text);
  if (type !== undefined) {
    return <EmbeddedMedia type={type} read={() => source.value(keys, Infinity)} />;
  }
  const href = isMore ? undefined : refHref(text);
  const toggle = async () =>
    setLong(long === undefined ? await source.value(keys, LONG_CHARACTERS) : undefined);
  return (
    <span className={css.string}>
      {href === undefined ? (long ?? text) : <a href={href}>{text}</a>}
      {isMore && (
        <button type="button" className={css.more} onClick={() => void toggle()}>
          {long === undefined ? 'more' : 'less'}
        </button>
      )}
      {isCut && <span className={css.note}> (cut)</span>}
    </span>
  );
}
