import { useEffect, useState } from 'react';
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
  /** Whether more of a long string is shown than fits into a row. */
  readonly isLong: boolean;
  readonly onToggle: () => void;
}

export function JsonValue({ projectId, ...string }: JsonValueProps) {
  const { row } = string;
  const { kind, isOpen, text, files } = row;
  if (files !== undefined) return <Files projectId={projectId} files={files} />;
  if (kind === 'object' || kind === 'array') {
    return isOpen ? null : <span className={css.preview}>{text}</span>;
  }
  if (kind !== 'string') return <span className={css[kind]}>{text}</span>;
  return <StringValue {...string} />;
}

function StringValue({ source, row, isLong, onToggle }: Omit<JsonValueProps, 'projectId'>) {
  const long = useLong(source, row, isLong);
  const { keys, text, isMore, isCut } = row;
  const type = isCut ? undefined : embeddedType(text);
  if (type !== undefined) {
    return <EmbeddedMedia type={type} read={() => source.value(keys, Infinity)} />;
  }
  const href = isMore ? undefined : refHref(text);
  return (
    <span className={css.string}>
      {href === undefined ? (long ?? text) : <a href={href}>{text}</a>}
      {isMore && (
        <button type="button" className={css.more} onClick={onToggle}>
          {isLong ? 'less' : 'more'}
        </button>
      )}
      {isCut && <span className={css.note}> (cut)</span>}
    </span>
  );
}

/** The long form of a string, once it is read. */
function useLong(source: JsonSource, { keys }: JsonRow, isLong: boolean): string | undefined {
  const [long, setLong] = useState<string | undefined>();
  const key = JSON.stringify(keys);
  useEffect(() => {
    let isStale = false;
    setLong(undefined);
    if (isLong)
      void source.value(JSON.parse(key) as readonly string[], LONG_CHARACTERS).then((text) => {
        if (!isStale) setLong(text);
      });
    return () => {
      isStale = true;
    };
  }, [source, key, isLong]);
  return long;
}
