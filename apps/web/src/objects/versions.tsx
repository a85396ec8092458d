import { useState, type FormEvent } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { formatTime } from '../format.js';
import { mayWrite } from '../login/session.js';
import { useSession } from '../shell/session-context.js';
import { Problem } from '../ui/parts.js';
import { useAddress } from '../ui/use-address.js';
import css from '../ui/board.module.css';
import {
  changeAlias,
  changeTag,
  versionsKey,
  versionsQuery,
  VERSIONS_MAX,
  type ObjectVersionRow,
} from './objects-api.js';

interface VersionsProps {
  readonly projectId: string;
  readonly name: string;
  readonly kind: 'op' | 'object';
  readonly digest: string;
}

/** Which version is shown, with which it is compared, and its tags and aliases. */
export function Versions({ projectId, name, kind, digest }: VersionsProps) {
  const navigate = useNavigate();
  const [{ diff = '' }, change] = useAddress();
  const { data = [], error } = useQuery(versionsQuery(projectId, name, kind === 'op'));
  const [entity = '', project = ''] = projectId.split('/');
  const current = data.find((one) => one.digest === digest);
  const show = (next: string) =>
    void navigate({
      to:
        kind === 'op'
          ? '/$entity/$project/weave/ops/$name/versions/$digest'
          : '/$entity/$project/weave/objects/$name/versions/$digest',
      params: { entity, project, name, digest: next },
      search: { diff },
    });
  if (error !== null) return <Problem error={error} />;
  return (
    <>
      <div className={css.actions}>
        <label className={css.field}>
          Version
          <select value={digest} onChange={({ target }) => show(target.value)}>
            {current === undefined && <option value={digest}>{digest.slice(0, 8)}</option>}
            {data.map((one) => (
              <option key={one.digest} value={one.digest}>
                {labelOf(one)}
              </option>
            ))}
          </select>
        </label>
        <label className={css.field}>
          Compare with
          <select value={diff} onChange={({ target }) => change({ diff: target.value })}>
            <option value="">nothing</option>
            {data
              .filter((one) => one.digest !== digest)
              .map((one) => (
                <option key={one.digest} value={one.digest}>
                  {labelOf(one)}
                </option>
              ))}
          </select>
        </label>
        {data.length === VERSIONS_MAX && <span>Only the newest {VERSIONS_MAX} versions.</span>}
      </div>
      {current !== undefined && <Marks projectId={projectId} version={current} />}
    </>
  );
}

const labelOf = ({ version_index, created_at, aliases }: ObjectVersionRow) =>
  `v${version_index}, ${formatTime(created_at, Date.now())}${aliases?.length ? ` (${aliases.join(', ')})` : ''}`;

interface MarksProps {
  readonly projectId: string;
  readonly version: ObjectVersionRow;
}

interface Mark {
  readonly kind: 'tag' | 'alias';
  readonly text: string;
  readonly isSet: boolean;
}

/** Tags describe a version; an alias names one version of the object. `latest` is the server's own. */
function Marks({ projectId, version }: MarksProps) {
  const { object_id: name, digest, tags, aliases } = version;
  const { role } = useSession();
  const queries = useQueryClient();
  const { mutate, error } = useMutation({
    mutationFn: ({ kind, text, isSet }: Mark) =>
      (kind === 'tag' ? changeTag : changeAlias)({ projectId, name, digest }, text, isSet),
    onSuccess: () => queries.invalidateQueries({ queryKey: versionsKey(projectId, name) }),
  });
  const isWriter = mayWrite(role);
  const marks = [
    ...(tags ?? []).map((text) => ({ kind: 'tag' as const, text })),
    ...(aliases ?? []).map((text) => ({ kind: 'alias' as const, text })),
  ];
  return (
    <div className={css.actions}>
      {marks.map(({ kind, text }) => (
        <span key={`${kind} ${text}`}>
          <span className={css.muted}>{kind}</span> {text}{' '}
          {isWriter && !(kind === 'alias' && text === 'latest') && (
            <button
              type="button"
              aria-label={`Remove the ${kind} ${text}`}
              onClick={() => mutate({ kind, text, isSet: false })}
            >
              ×
            </button>
          )}
        </span>
      ))}
      {isWriter && <NewMark onMark={(kind, text) => mutate({ kind, text, isSet: true })} />}
      {error !== null && <Problem error={error} />}
    </div>
  );
}

function NewMark({ onMark }: { readonly onMark: (kind: Mark['kind'], text: string) => void }) {
  const [text, setText] = useState('');
  const add = (event: FormEvent, kind: Mark['kind']) => {
    event.preventDefault();
    if (text.trim() === '') return;
    onMark(kind, text.trim());
    setText('');
  };
  return (
    <form className={css.actions} onSubmit={(event) => add(event, 'tag')}>
      <input
        aria-label="New tag or alias"
        placeholder="tag or alias"
        size={14}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <button type="submit" disabled={text.trim() === ''}>
        Add tag
      </button>
      <button type="button" disabled={text.trim() === ''} onClick={(event) => add(event, 'alias')}>
        Set alias
      </button>
    </form>
  );
}
