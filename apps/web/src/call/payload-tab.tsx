import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { formatBytes } from '../format.js';
import { download } from '../traces/export.js';
import { CopyButton, Empty, Problem } from '../ui/parts.js';
import { JsonView } from './json-view.js';
import { payloadQuery, type Member } from './use-call.js';
import css from './payload-tab.module.css';

interface PayloadTabProps {
  readonly projectId: string;
  readonly callId: string;
  readonly member: Member;
}

/** One payload of a call. Of a large one, the first part is read until the user wants all of it. */
export function PayloadTab({ projectId, callId, member }: PayloadTabProps) {
  const [isWhole, setIsWhole] = useState(false);
  const first = useQuery(payloadQuery(projectId, callId, member, false));
  const whole = useQuery({ ...payloadQuery(projectId, callId, member, true), enabled: isWhole });
  const payload = whole.data ?? first.data;
  const error = first.error ?? whole.error;
  if (error !== null) return <Problem error={error} />;
  if (payload === undefined) return <Empty>Loading…</Empty>;
  if (['', '{}', 'null', '[]'].includes(payload.text.trim())) return <Empty>Empty.</Empty>;
  return (
    <>
      <div className={css.bar}>
        <span>
          {formatBytes(payload.bytes)}
          {!payload.isWhole && `, of which ${formatBytes(payload.text.length)} are shown`}
        </span>
        {!payload.isWhole && (
          <button type="button" disabled={isWhole} onClick={() => setIsWhole(true)}>
            {isWhole ? 'Reading…' : 'Read all'}
          </button>
        )}
        <span className={css.space} />
        {payload.isWhole && <CopyButton label="Copy JSON" text={payload.text} />}
        {payload.isWhole && (
          <button
            type="button"
            onClick={() => download(`${callId}-${member}.json`, 'application/json', payload.text)}
          >
            Download
          </button>
        )}
      </div>
      <JsonView projectId={projectId} member={member} text={payload.text} />
    </>
  );
}
