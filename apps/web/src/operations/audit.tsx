import type { FormEvent } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { post } from '../api/client.js';
import { formatTime } from '../format.js';
import { Empty, Problem, useNow } from '../ui/parts.js';
import { Verify } from './verify.js';
import board from '../ui/board.module.css';
import css from './operations.module.css';

interface AuditRecord {
  readonly id: string;
  readonly at: string;
  readonly user: string;
  readonly key_id: string;
  readonly address: string;
  readonly action: string;
  readonly scope: string;
  readonly detail: object;
}

const SHOWN = 200;
const REFRESH_MS = 10_000;

/** Who did what, newest first. */
export function Audit() {
  const { user, action } = useSearch({ from: '/-/operations' });
  const navigate = useNavigate({ from: '/-/operations' });
  const { data, error, refetch } = useQuery({
    queryKey: ['audit', user, action],
    queryFn: ({ signal }) =>
      post<{ readonly entries: readonly AuditRecord[] }>(
        '/admin/audit/query',
        { limit: SHOWN, ...(user && { user }), ...(action && { action }) },
        signal,
      ),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => (form.get(name) as string).trim();
    void navigate({ search: { tab: 'audit', user: text('user'), action: text('action') } });
  };
  return (
    <div className={css.column}>
      <form onSubmit={submit} className={css.fields} key={`${user} ${action}`}>
        <label className={css.field}>
          User
          <input name="user" defaultValue={user} />
        </label>
        <label className={css.field}>
          Action begins with
          <input name="action" defaultValue={action} placeholder="keys." />
        </label>
        <button type="submit">Filter</button>
      </form>
      <Verify />
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data?.entries.length === 0 && <Empty>No entries match.</Empty>}
      {data !== undefined && data.entries.length > 0 && <Entries entries={data.entries} />}
    </div>
  );
}

function Entries({ entries }: { readonly entries: readonly AuditRecord[] }) {
  const now = useNow(60_000);
  return (
    <div className={board.scroll} role="region" aria-label="Audit log" tabIndex={0}>
      <table className={`${board.table} ${css.table}`}>
        <thead>
          <tr>
            {['Time', 'User', 'Action', 'Scope', 'Key', 'From', 'Detail'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {entries.map(({ id, at, user, action, scope, key_id, address, detail }) => (
            <tr key={id}>
              <td title={at}>{formatTime(at, now)}</td>
              <td>{user}</td>
              <th scope="row">{action}</th>
              <td>{scope || 'the server'}</td>
              <td>{key_id}</td>
              <td>{address}</td>
              <td className={css.detail}>
                <code>{JSON.stringify(detail)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {entries.length === SHOWN && (
        <p className={css.note}>Only the newest {SHOWN} are listed; filter for others.</p>
      )}
    </div>
  );
}
