import { useEffect, useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import type { Session } from '../api/types.js';
import { Login } from '../login/login.js';
import { sessionQuery, signOut } from '../login/session.js';
import { useKeys } from '../ui/keys.js';
import { Empty, Problem } from '../ui/parts.js';
import { CommandPalette } from './command-palette.js';
import { KeySheet } from './key-sheet.js';
import { SessionContext } from './session-context.js';
import css from './shell.module.css';

/** The pages of a project beside its traces. */
const PLACES = [
  ['/$entity/$project/weave/costs', 'Costs'],
  ['/$entity/$project/weave/stats', 'Statistics'],
  ['/$entity/$project/weave/alerts', 'Alerts'],
  ['/$entity/$project/weave/threads', 'Threads'],
  ['/$entity/$project/weave/evaluations', 'Evaluations'],
  ['/$entity/$project/weave/objects', 'Objects'],
] as const;

/** The login, or the header with the screen of the address. */
export function Shell() {
  const { data, error, refetch } = useQuery(sessionQuery);
  if (data === undefined) {
    return error === null ? null : <Problem error={error} retry={() => void refetch()} />;
  }
  if (data.session === undefined) return <Login reason={data.reason} />;
  return (
    <SessionContext value={data.session}>
      <SignedIn session={data.session} />
    </SessionContext>
  );
}

function SignedIn({ session }: { readonly session: Session }) {
  const [open, setOpen] = useState<'keys' | 'commands' | undefined>();
  const close = () => setOpen(undefined);
  useKeys({ '?': () => setOpen('keys') });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen('commands');
    };
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
  return (
    <div className={css.shell}>
      <a href="#main" className={css.skip}>
        Skip to content
      </a>
      <Header
        session={session}
        onCommands={() => setOpen('commands')}
        onKeys={() => setOpen('keys')}
      />
      {session.role === 'ingest' ? (
        <main id="main">
          <Empty>
            This key may only send traces. Sign in with a key of the role read to see them.
          </Empty>
        </main>
      ) : (
        <Outlet />
      )}
      {open === 'keys' && <KeySheet onClose={close} />}
      {open === 'commands' && <CommandPalette onClose={close} />}
    </div>
  );
}

interface HeaderProps {
  readonly session: Session;
  readonly onCommands: () => void;
  readonly onKeys: () => void;
}

function Header({ session, onCommands, onKeys }: HeaderProps) {
  const { entity, project } = useParams({ strict: false });
  return (
    <header className={css.header}>
      <Link to="/" className={css.brand}>
        Heddle
      </Link>
      {entity !== undefined && project !== undefined && session.role !== 'ingest' && (
        <nav aria-label="Project" className={css.project}>
          <Link
            to="/$entity/$project/weave/traces"
            params={{ entity, project }}
            className={css.name}
          >
            {entity}/{project}
          </Link>
          {PLACES.map(([to, label]) => (
            <Link key={to} to={to} params={{ entity, project }} className={css.name}>
              {label}
            </Link>
          ))}
        </nav>
      )}
      <span className={css.space} />
      <button type="button" onClick={onCommands} aria-keyshortcuts="Control+K Meta+K">
        <span className={css.wide}>Go to…</span> <kbd>{isMac ? '⌘' : 'Ctrl'} K</kbd>
      </button>
      <button type="button" onClick={onKeys} aria-label="Keyboard shortcuts">
        ?
      </button>
      <User session={session} />
    </header>
  );
}

const isMac = navigator.userAgent.includes('Mac');

function User({ session }: { readonly session: Session }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const leave = async () => {
    await signOut(queries);
    await navigate({ to: '/' });
  };
  return (
    <>
      <button type="button" popoverTarget="user-menu" className={css.user}>
        {session.user} <span className={css.role}>{session.role}</span>
      </button>
      <div id="user-menu" popover="auto" className={css.menu}>
        <p>
          Signed in as <strong>{session.user}</strong>
        </p>
        <p className={css.muted}>
          The key has the role <code>{session.role}</code> in{' '}
          {session.scope === '*' ? 'every project' : session.scope}.
        </p>
        {session.role === 'admin' && <Link to="/-/operations">Operations</Link>}
        <button type="button" onClick={() => void leave()}>
          Sign out
        </button>
      </div>
    </>
  );
}
