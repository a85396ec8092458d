import { useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { formatAge, formatTime } from '../format.js';
import { Confirm } from '../ui/confirm.js';
import { CopyButton, Empty, Problem, useNow } from '../ui/parts.js';
import { KeyForm } from './key-form.js';
import {
  createKey,
  keysQuery,
  refreshKeys,
  revokeKey,
  rotateKey,
  type KeyRecord,
  type NewKey,
} from './keys-api.js';
import board from '../ui/board.module.css';
import css from './operations.module.css';

/** How long programs may use the old key after a rotation. */
const GRACE_SECONDS = 3600;

/** Every key of the scope, with what it may do and when it was last used. */
export function Keys() {
  const { data, error, refetch } = useQuery(keysQuery);
  const [revoked, setRevoked] = useState<KeyRecord | undefined>();
  const { created, change, problem, isBusy, forget } = useChangeKeys();
  return (
    <div className={css.column}>
      <KeyForm isBusy={isBusy} onCreate={(request) => change(() => createKey(request))} />
      {problem !== null && <Problem error={problem} />}
      {created !== undefined && (
        <div role="status" className={css.created}>
          <p>
            The new key of {created.user}. It is shown once: <code>{created.key}</code>
          </p>
          <CopyButton text={created.key} label="Copy key" />
          <button type="button" onClick={forget}>
            Done
          </button>
        </div>
      )}
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data?.keys.length === 0 && <Empty>There are no keys.</Empty>}
      {data !== undefined && data.keys.length > 0 && (
        <KeyTable
          keys={data.keys}
          isBusy={isBusy}
          onRotate={({ id }) => change(() => rotateKey(id, GRACE_SECONDS))}
          onRevoke={setRevoked}
        />
      )}
      {revoked !== undefined && (
        <Confirm
          label="Revoke a key"
          action="Revoke the key"
          onConfirm={() => change(() => revokeKey(revoked.id))}
          onClose={() => setRevoked(undefined)}
        >
          Revoke the key {revoked.name ?? revoked.id} of {revoked.user}? Every program that uses it
          is refused within seconds.
        </Confirm>
      )}
    </div>
  );
}

function useChangeKeys() {
  const queries = useQueryClient();
  const [created, setCreated] = useState<NewKey | undefined>();
  const { mutate, error, isPending } = useMutation({
    mutationFn: (act: () => Promise<KeyRecord | NewKey>) => act(),
    onSuccess: async (key) => {
      setCreated('key' in key ? key : undefined);
      await refreshKeys(queries);
    },
  });
  return {
    created,
    change: (act: () => Promise<KeyRecord | NewKey>) => mutate(act),
    problem: error,
    isBusy: isPending,
    forget: () => setCreated(undefined),
  };
}

interface KeyTableProps {
  readonly keys: readonly KeyRecord[];
  readonly isBusy: boolean;
  readonly onRotate: (key: KeyRecord) => void;
  readonly onRevoke: (key: KeyRecord) => void;
}

function KeyTable({ keys, isBusy, onRotate, onRevoke }: KeyTableProps) {
  const now = useNow(30_000);
  return (
    <div className={board.scroll} role="region" aria-label="Keys" tabIndex={0}>
      <table className={`${board.table} ${css.table}`}>
        <thead>
          <tr>
            {['Key', 'User', 'Role', 'Scope', 'Created', 'Last used', 'Ends', 'Actions'].map(
              (name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <th scope="row">{key.name ?? <code>{key.id}</code>}</th>
              <td>{key.user}</td>
              <td>{key.role}</td>
              <td>{key.scope === '*' ? 'every project' : key.scope}</td>
              <td title={key.created_at ?? undefined}>
                {key.created_at === null ? '–' : formatAge(key.created_at, now)}
                {key.created_by !== null && ` by ${key.created_by}`}
              </td>
              <td title={key.last_used_at ?? undefined}>
                {key.last_used_at === null ? 'never' : formatAge(key.last_used_at, now)}
              </td>
              <td>{key.ends_at === null ? 'never' : formatTime(key.ends_at, now)}</td>
              <td>
                <div className={css.actions}>
                  <button
                    type="button"
                    disabled={isBusy}
                    title="A new key replaces it; the old one is accepted for one hour more."
                    aria-label={`Rotate ${key.name ?? key.id}`}
                    onClick={() => onRotate(key)}
                  >
                    Rotate
                  </button>
                  <button
                    type="button"
                    disabled={isBusy}
                    aria-label={`Revoke ${key.name ?? key.id}`}
                    onClick={() => onRevoke(key)}
                  >
                    Revoke
                  </button>
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
