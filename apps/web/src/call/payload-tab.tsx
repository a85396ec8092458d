import { useEffect, useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { formatBytes } from '../format.js';
import { useChangeSearch } from '../ui/change-search.js';
import { saveFile } from '../ui/save-file.js';
import { copyText, Empty, Problem } from '../ui/parts.js';
import { JsonView } from './json-view.js';
import { localSource, type JsonSource } from './json-source.js';
import type { Payload } from './payload.js';
import { openPayload, type OpenPayload } from './payload-worker.js';
import { payloadQuery, type Member } from './use-call.js';
import css from './payload-tab.module.css';

interface PayloadTabProps {
  readonly projectId: string;
  readonly callId: string;
  readonly member: Member;
}

/** Above this size only the first level is open at first. */
const LARGE_CHARACTERS = 100_000;
/** More than this is for a file, not for a clipboard. */
const COPIED_MAX_BYTES = 5_000_000;

/** One payload of a call. Of a large one, the first part is shown until a worker has read all of it. */
export function PayloadTab({ projectId, callId, member }: PayloadTabProps) {
  const { data: first, error } = useQuery(payloadQuery(projectId, callId, member));
  const whole = useWhole(projectId, callId, member);
  const local = useMemo(() => first && localSource(first.text), [first]);
  if (error !== null) return <Problem error={error} />;
  if (first === undefined || local === undefined) return <Empty>Loading…</Empty>;
  if (['', '{}', 'null', '[]'].includes(first.text.trim())) return <Empty>Empty.</Empty>;
  const isWhole = first.isWhole || whole.payload !== undefined;
  const source: JsonSource = whole.payload ?? local;
  const save = async () => saveFile(`${callId}-${member}.json`, await source.blob());
  return (
    <>
      <div className={css.bar}>
        <span>{sizeText(first, isWhole)}</span>
        {!isWhole && (
          <button type="button" disabled={whole.isReading} onClick={whole.read}>
            {whole.isReading ? `Reading… ${formatBytes(whole.bytes)}` : 'Read all'}
          </button>
        )}
        <span className={css.space} />
        {isWhole && first.bytes <= COPIED_MAX_BYTES && (
          <button
            type="button"
            onClick={() => void source.blob().then(async (blob) => copyText(await blob.text()))}
          >
            Copy JSON
          </button>
        )}
        {isWhole && (
          <button type="button" onClick={() => void save()}>
            Download
          </button>
        )}
      </div>
      {whole.error !== undefined && <Problem error={whole.error} />}
      <JsonView
        projectId={projectId}
        member={member}
        source={source}
        isLarge={first.text.length > LARGE_CHARACTERS}
      />
    </>
  );
}

const sizeText = ({ bytes, text }: Payload, isWhole: boolean): string =>
  isWhole
    ? formatBytes(bytes)
    : `${formatBytes(bytes)}, of which ${formatBytes(text.length)} are shown`;

interface Whole {
  readonly payload: OpenPayload | undefined;
  readonly error: unknown;
  readonly isReading: boolean;
  readonly bytes: number;
  readonly read: () => void;
}

/** All of a payload, in a worker that ends with the tab. */
function useWhole(projectId: string, id: string, member: Member): Whole {
  const isWanted = useSearch({ strict: false }).whole === member;
  const changeSearch = useChangeSearch();
  const [bytes, setBytes] = useState(0);
  const [payload, setPayload] = useState<OpenPayload>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (!isWanted) return;
    const abort = new AbortController();
    openPayload({ project_id: projectId, id, member }, setBytes, abort.signal).then(
      setPayload,
      setError,
    );
    return () => abort.abort();
  }, [isWanted, projectId, id, member]);
  return {
    payload,
    error,
    isReading: isWanted && payload === undefined && error === undefined,
    bytes,
    read: () => changeSearch({ whole: member }),
  };
}
