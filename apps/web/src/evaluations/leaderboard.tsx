import { useQueries, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { post } from '../api/client.js';
import { Empty, Problem, useTitle } from '../ui/parts.js';
import css from '../ui/board.module.css';
import { latestByModel } from './boards.js';
import { runsQuery } from './evaluations-api.js';
import { LeaderboardTable, type BoardColumn } from './leaderboard-table.js';
import { columnValue, type LeaderboardColumn } from './run-metrics.js';

interface StoredBoard {
  readonly obj: {
    readonly digest: string;
    readonly val: {
      readonly name?: string | null;
      readonly description?: string | null;
      readonly columns?: readonly LeaderboardColumn[];
    } | null;
  };
}

/** Runs of an evaluation that are looked at. */
const RUNS_MAX = 200;
const COLUMNS_MAX = 20;

/** A leaderboard as the SDK has published it. The link to it has no version: it is the latest one. */
export function Leaderboard() {
  const { entity = '', project = '', name = '' } = useParams({ strict: false });
  const projectId = `${entity}/${project}`;
  useTitle(`Leaderboard ${name}`);
  const { data, error } = useQuery({
    queryKey: ['leaderboard', projectId, name],
    queryFn: ({ signal }) =>
      post<StoredBoard>(
        '/obj/read',
        { project_id: projectId, object_id: name, digest: 'latest' },
        signal,
      ),
  });
  const columns = data?.obj.val?.columns?.slice(0, COLUMNS_MAX) ?? [];
  const refs = [...new Set(columns.map(({ evaluation_object_ref }) => evaluation_object_ref))];
  const results = useQueries({
    queries: refs.map((evaluation) => runsQuery(projectId, { evaluation, limit: RUNS_MAX })),
  });
  const failed = error ?? results.find((one) => one.error !== null)?.error ?? null;
  const shown = columns.map((column): BoardColumn => {
    const runs = results[refs.indexOf(column.evaluation_object_ref)]?.data ?? [];
    return {
      label: [column.scorer_name, column.summary_metric_path].filter(Boolean).join('.'),
      isMinimum: column.should_minimize === true,
      runs: latestByModel(runs.filter(({ ended_at }) => ended_at !== null)),
      valueOf: ({ output }) => columnValue(column, output),
    };
  });
  return (
    <main id="main" className={css.screen}>
      <div className={css.head}>
        <h1>{data?.obj.val?.name ?? name}</h1>
        {data !== undefined && (
          <Link
            to="/$entity/$project/weave/objects/$name/versions/$digest"
            params={{ entity, project, name, digest: data.obj.digest }}
          >
            Object
          </Link>
        )}
      </div>
      {data?.obj.val?.description && <p className={css.muted}>{data.obj.val.description}</p>}
      {failed !== null && <Problem error={failed} />}
      {data === undefined && failed === null && <Empty>Loading…</Empty>}
      {data !== undefined &&
        (columns.length === 0 ? (
          <Empty>This leaderboard has no columns.</Empty>
        ) : (
          <LeaderboardTable projectId={projectId} columns={shown} />
        ))}
    </main>
  );
}
