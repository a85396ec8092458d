import { useEffect, useRef } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import type { ProjectSummary } from '../api/types.js';
import { formatAge, formatCount, formatMoney, formatTime } from '../format.js';
import { Empty, Problem, useNow, useTitle } from '../ui/parts.js';
import { FirstTrace } from './first-trace.js';
import { projectsQuery } from './projects.js';
import css from './home.module.css';

export function Home() {
  useTitle('');
  const { data, error, refetch } = useQuery(projectsQuery);
  useOpenFirstTrace(data?.projects);
  return (
    <main id="main" className={css.home}>
      {error !== null ? (
        <Problem error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Empty>Loading…</Empty>
      ) : data.projects.length === 0 ? (
        <FirstTrace />
      ) : (
        <Projects projects={data.projects} hasMore={data.next !== null} />
      )}
    </main>
  );
}

/** An empty server opens the traces of the first project as soon as there is one. */
function useOpenFirstTrace(projects: readonly ProjectSummary[] | undefined): void {
  const router = useRouter();
  const wasEmpty = useRef(false);
  useEffect(() => {
    if (projects === undefined) return;
    const first = projects[0];
    if (first !== undefined && wasEmpty.current) {
      router.history.push(`/${first.project_id}/weave/traces`);
    }
    wasEmpty.current = first === undefined;
  }, [projects, router]);
}

interface ProjectsProps {
  readonly projects: readonly ProjectSummary[];
  readonly hasMore: boolean;
}

function Projects({ projects, hasMore }: ProjectsProps) {
  const now = useNow(15_000);
  const { find = '' } = useSearch({ from: '/' });
  const navigate = useNavigate();
  const shown = projects
    .filter(({ project_id }) => project_id.toLowerCase().includes(find.toLowerCase()))
    .sort((a, b) => (b.last_call_at ?? '').localeCompare(a.last_call_at ?? ''));
  return (
    <>
      <div className={css.head}>
        <h1>Projects</h1>
        <input
          type="search"
          aria-label="Find a project"
          placeholder="Find a project"
          value={find}
          onChange={(event) =>
            void navigate({ to: '/', search: { find: event.target.value }, replace: true })
          }
        />
      </div>
      <div className={css.scroll} role="region" aria-label="Projects" tabIndex={0}>
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">Project</th>
              <th scope="col">Last call</th>
              <th scope="col" className={css.number}>
                Calls, 24 h
              </th>
              <th scope="col" className={css.number}>
                Errors, 24 h
              </th>
              <th scope="col" className={css.number}>
                Cost, 24 h
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((project) => (
              <Project key={project.project_id} project={project} now={now} />
            ))}
          </tbody>
        </table>
      </div>
      {hasMore && (
        <p className={css.muted}>Only the first {projects.length} projects are listed.</p>
      )}
    </>
  );
}

function Project({ project, now }: { readonly project: ProjectSummary; readonly now: number }) {
  const { project_id, last_call_at, calls, errors, cost } = project;
  const [entity, name] = project_id.split('/') as [string, string];
  return (
    <tr>
      <th scope="row">
        <Link to="/$entity/$project/weave/traces" params={{ entity, project: name }}>
          {project_id}
        </Link>
      </th>
      <td title={last_call_at === null ? undefined : formatTime(last_call_at, now)}>
        {last_call_at === null ? '–' : formatAge(last_call_at, now)}
      </td>
      <td className={css.number}>{formatCount(calls)}</td>
      <td className={`${css.number} ${errors > 0 ? css.error : ''}`}>{formatCount(errors)}</td>
      <td className={css.number}>{cost === null ? '–' : formatMoney(cost)}</td>
    </tr>
  );
}
