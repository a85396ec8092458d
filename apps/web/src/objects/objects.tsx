import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useLocation } from '@tanstack/react-router';
import { formatAge, formatCount } from '../format.js';
import { Empty, Problem, useNow, useTitle } from '../ui/parts.js';
import { useAddress } from '../ui/use-address.js';
import css from '../ui/board.module.css';
import { KINDS, NAMES_MAX, objectsQuery, type ObjectVersionRow } from './objects-api.js';

/** The objects and ops of a project by kind, the newest first. */
export function Objects() {
  const { entity = '', project = '' } = useParams({ strict: false });
  const projectId = `${entity}/${project}`;
  const { pathname } = useLocation();
  const [{ kind: wanted, q = '' }, change] = useAddress();
  const folder = pathname.split('/').at(-1);
  const kind =
    KINDS.find(({ name }) => name === (wanted ?? folder)) ??
    KINDS.find(({ name }) => name === 'all')!;
  useTitle(`${kind.label} of ${projectId}`);
  const { data, error, refetch } = useQuery(objectsQuery(projectId, kind));
  const shown = data?.filter(({ object_id }) => object_id.toLowerCase().includes(q.toLowerCase()));
  return (
    <main id="main" className={css.screen}>
      <div className={css.head}>
        <h1>Objects</h1>
        <nav aria-label="Kinds" className={css.tabs}>
          {KINDS.map(({ name, label }) => (
            <Link
              key={name}
              to="/$entity/$project/weave/objects"
              params={{ entity, project }}
              search={{ kind: name }}
              aria-current={name === kind.name ? 'page' : undefined}
            >
              {label}
            </Link>
          ))}
        </nav>
        <label className={css.field}>
          Name contains
          <input type="search" value={q} onChange={({ target }) => change({ q: target.value })} />
        </label>
      </div>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {shown === undefined && error === null && <Empty>Loading…</Empty>}
      {data?.length === NAMES_MAX && (
        <p className={css.notice}>Only the newest {formatCount(NAMES_MAX)} names are listed.</p>
      )}
      {shown?.length === 0 && <Empty>There are none.</Empty>}
      {shown !== undefined && shown.length > 0 && (
        <Versions entity={entity} project={project} rows={shown} label={kind.label} />
      )}
    </main>
  );
}

interface VersionsProps {
  readonly entity: string;
  readonly project: string;
  readonly rows: readonly ObjectVersionRow[];
  readonly label: string;
}

function Versions({ entity, project, rows, label }: VersionsProps) {
  const now = useNow(60_000);
  return (
    <div className={css.scroll} role="region" aria-label={label} tabIndex={0}>
      <table className={css.table}>
        <thead>
          <tr>
            {['Name', 'Class', 'Versions', 'Tags and aliases', 'Created', 'User'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.kind} ${row.object_id}`}>
              <th scope="row">
                <Link
                  to={
                    row.kind === 'op'
                      ? '/$entity/$project/weave/ops/$name/versions/$digest'
                      : '/$entity/$project/weave/objects/$name/versions/$digest'
                  }
                  params={{ entity, project, name: row.object_id, digest: row.digest }}
                >
                  {row.object_id}
                </Link>
              </th>
              <td>{row.kind === 'op' ? 'op' : (row.leaf_object_class ?? '–')}</td>
              <td className={css.number}>{row.version_index + 1}</td>
              <td>{[...(row.tags ?? []), ...(row.aliases ?? [])].join(', ')}</td>
              <td>{formatAge(row.created_at, now)}</td>
              <td>{row.wb_user_id ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
