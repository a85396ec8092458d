import type { FormEvent } from 'react';
import type { Role } from '../api/types.js';
import { useSession } from '../shell/session-context.js';
import type { KeyRequest } from './keys-api.js';
import css from './operations.module.css';

const ROLES: readonly (readonly [role: Role, about: string])[] = [
  ['ingest', 'ingest: only sends traces'],
  ['read', 'read: only reads'],
  ['write', 'write: sends, reads, changes and deletes'],
  ['admin', 'admin: also manages keys'],
];
const DAY_SECONDS = 86_400;

interface KeyFormProps {
  readonly isBusy: boolean;
  readonly onCreate: (request: KeyRequest) => void;
}

export function KeyForm({ isBusy, onCreate }: KeyFormProps) {
  const { scope } = useSession();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => (form.get(name) as string).trim();
    onCreate({
      user: text('user'),
      scope: text('scope'),
      role: text('role') as Role,
      ...(text('name') !== '' && { name: text('name') }),
      ...(text('days') !== '' && {
        ends_in_seconds: Math.round(Number(text('days')) * DAY_SECONDS),
      }),
    });
  };
  return (
    <details className={css.form}>
      <summary>Create a key</summary>
      <form onSubmit={submit} className={css.fields}>
        <label className={css.field}>
          User
          <input name="user" required maxLength={128} />
        </label>
        <label className={css.field}>
          Role
          <select name="role" defaultValue="ingest">
            {ROLES.map(([role, about]) => (
              <option key={role} value={role}>
                {about}
              </option>
            ))}
          </select>
        </label>
        <label className={css.field}>
          Scope: *, an entity or a project
          <input name="scope" required maxLength={257} defaultValue={scope} />
        </label>
        <label className={css.field}>
          Name, optional
          <input name="name" maxLength={128} />
        </label>
        <label className={css.field}>
          Ends after days, optional
          <input name="days" type="number" min={1} max={3650} />
        </label>
        <button type="submit" disabled={isBusy}>
          Create
        </button>
      </form>
    </details>
  );
}
