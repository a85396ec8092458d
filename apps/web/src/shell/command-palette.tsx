import { useId, useMemo, useState, type KeyboardEvent } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useRouter } from '@tanstack/react-router';
import { projectsQuery } from '../projects/projects.js';
import { signOut } from '../login/session.js';
import { Modal } from '../ui/modal.js';
import { copyText } from '../ui/parts.js';
import { useSession } from './session-context.js';
import css from './shell.module.css';

interface Command {
  readonly label: string;
  readonly hint: string;
  readonly run: () => unknown;
}

/** Actions and projects, found by any part of their name. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const id = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const commands = useCommands();
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = commands.filter(({ label }) =>
    words.every((word) => label.toLowerCase().includes(word)),
  );
  const current = Math.min(at, shown.length - 1);

  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && shown.length > 0) {
      event.preventDefault();
      setAt((current + step + shown.length) % shown.length);
    }
    if (event.key === 'Enter') run(shown[current]);
  };

  return (
    <Modal label="Go to" onClose={onClose} className={css.palette}>
      <input
        autoFocus
        role="combobox"
        aria-label="Project or action"
        aria-expanded="true"
        aria-controls={`${id}-options`}
        aria-activedescendant={shown.length > 0 ? `${id}-${current}` : undefined}
        placeholder="Project or action"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul role="listbox" id={`${id}-options`} aria-label="Results" className={css.options}>
        {shown.map((command, index) => (
          <li
            key={command.label}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === current}
            className={css.option}
            onClick={() => run(command)}
          >
            <span>{command.label}</span>
            <span className={css.muted}>{command.hint}</span>
          </li>
        ))}
      </ul>
    </Modal>
  );
}

/** Every screen of a project, because a narrow page does not show links to them. */
const SCREENS = [
  ['Costs', '/$entity/$project/weave/costs'],
  ['Prices', '/$entity/$project/weave/prices'],
  ['Alerts', '/$entity/$project/weave/alerts'],
  ['Statistics', '/$entity/$project/weave/stats'],
  ['Threads', '/$entity/$project/weave/threads'],
  ['Evaluations', '/$entity/$project/weave/evaluations'],
  ['Annotation queues', '/$entity/$project/weave/annotations'],
  ['Objects', '/$entity/$project/weave/objects'],
  ['Compare two traces', '/$entity/$project/weave/compare'],
] as const;

function useCommands(): readonly Command[] {
  const navigate = useNavigate();
  const router = useRouter();
  const queries = useQueryClient();
  const { entity, project } = useParams({ strict: false });
  const { data } = useQuery(projectsQuery);
  const { role } = useSession();
  return useMemo(() => {
    const traces = (label: string, q?: string, calls?: string): Command => ({
      label,
      hint: 'this project',
      run: () =>
        void navigate({
          to: '/$entity/$project/weave/traces',
          params: { entity: entity!, project: project! },
          search: { ...(q && { q }), ...(calls && { calls }) },
        }),
    });
    const ofProject = [
      traces('Traces'),
      traces('All calls', undefined, 'all'),
      traces('Traces with errors', 'status in (error, descendant_error)'),
      traces('Slow traces, over 10 s', 'latency > 10s'),
    ];
    const screens = SCREENS.map(([label, to]): Command => ({
      label,
      hint: 'this project',
      run: () => void navigate({ to, params: { entity: entity!, project: project! } }),
    }));
    const projects = (data?.projects ?? []).map(({ project_id }): Command => ({
      label: project_id,
      hint: 'project',
      run: () => router.history.push(`/${project_id}/weave/traces`),
    }));
    return [
      ...(entity === undefined ? [] : [...ofProject, ...screens]),
      { label: 'All projects', hint: 'home', run: () => void navigate({ to: '/' }) },
      ...projects,
      ...(role === 'admin'
        ? [
            {
              label: 'Operations',
              hint: 'admin',
              run: () => void navigate({ to: '/-/operations' }),
            },
          ]
        : []),
      { label: 'Copy the link of this screen', hint: 'y', run: () => void copyText(location.href) },
      { label: 'API reference', hint: '/docs', run: () => location.assign('/docs') },
      { label: 'Sign out', hint: '', run: () => void signOut(queries) },
    ];
  }, [navigate, router, queries, entity, project, data, role]);
}
