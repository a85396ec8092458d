import { useId, useState, type FormEvent } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/client.js';
import { loginMethodsQuery, openIdProblem, signIn } from './session.js';
import css from './login.module.css';

/** Shown at any address without a session. The address stays, so that it opens after the login. */
export function Login({ reason }: { readonly reason: string }) {
  const queries = useQueryClient();
  const id = useId();
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState(reason || openIdProblem(window.location.hash));
  const [isBusy, setIsBusy] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    setIsBusy(true);
    try {
      await signIn(queries, key.trim());
    } catch (error) {
      setIsBusy(false);
      setProblem(sentence(error));
    }
  }

  return (
    <main className={css.login}>
      <form onSubmit={(event) => void submit(event)} className={css.card}>
        <h1>Heddle</h1>
        <OpenIdLink />
        <p className={css.muted}>
          Sign in with an API key. <code>npm start</code> printed one; it is also in{' '}
          <code>data/api-key</code>.
        </p>
        {/* Password managers store a password for a user name. */}
        <input type="text" autoComplete="username" value="api" readOnly hidden />
        <label htmlFor={id}>API key</label>
        <input
          id={id}
          type="password"
          autoComplete="current-password"
          autoFocus
          required
          value={key}
          onChange={(event) => setKey(event.target.value)}
          aria-describedby={problem ? `${id}-problem` : undefined}
        />
        <p id={`${id}-problem`} role="alert" className={css.problem}>
          {problem}
        </p>
        <button type="submit" disabled={isBusy} className={css.submit}>
          {isBusy ? 'Signing in…' : 'Sign in'}
        </button>
        <p className={css.muted}>
          The key is sent once and not stored in the browser: a session of this browser replaces it.
        </p>
      </form>
    </main>
  );
}

/** Leaves the page for the issuer, which sends the browser back to this address. */
function OpenIdLink() {
  const { data } = useQuery(loginMethodsQuery);
  if (typeof data?.openid !== 'string') return null;
  const { pathname, search } = window.location;
  const target = `/session/openid?return_to=${encodeURIComponent(pathname + search)}`;
  return (
    <a href={target} className={`${css.submit} ${css.issuer}`}>
      Sign in with {data.openid}
    </a>
  );
}

function sentence(error: unknown): string {
  if (error instanceof ApiError && error.code === 'unknown_key') {
    return 'The server does not know this key. Check that it is complete.';
  }
  return error instanceof Error ? error.message : String(error);
}
