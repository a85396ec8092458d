import { quoted } from '@app/query-language/text';
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { CodeTab } from '../call/code-tab.js';
import { localSource } from '../call/json-source.js';
import { JsonView } from '../call/json-view.js';
import { MarkdownView } from '../call/markdown-view.js';
import { formatTime } from '../format.js';
import { CopyButton, Empty, Problem, useTitle } from '../ui/parts.js';
import { useAddress } from '../ui/use-address.js';
import { objectQuery, type ObjectText } from './objects-api.js';
import { tableOf, textAt } from './table-of.js';
import { TableView } from './table-view.js';
import { VersionDiff } from './version-diff.js';
import { Versions } from './versions.js';
import css from './object-version.module.css';

/** Above this size only the first level is open at first. */
const LARGE_CHARACTERS = 100_000;

/** A version of an object or of an op: the link that the SDKs print. */
export function ObjectVersion() {
  const { entity = '', project = '', name = '', digest = 'latest' } = useParams({ strict: false });
  const projectId = `${entity}/${project}`;
  useTitle(name);
  const [{ diff }] = useAddress();
  const { data, error } = useQuery(objectQuery(projectId, name, digest));
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <Empty>Loading…</Empty>;
  const kind = data.kind === 'op' ? 'op' : 'object';
  const ref = `weave:///${projectId}/${kind}/${name}:${data.digest}`;
  const q = kind === 'op' ? `op = ${quoted(ref)}` : `input_refs ~ ${quoted(ref)}`;
  const version = { projectId, name, kind, digest: data.digest } as const;
  return (
    <main id="main" className={css.object}>
      <header>
        <h1>
          {name} <span className={css.muted}>v{data.version}</span>
        </h1>
        <p className={css.muted}>
          {data.baseClass === '' || data.baseClass === 'null' ? data.kind : data.baseClass}, created{' '}
          {formatTime(data.createdAt, Date.now())}
        </p>
        <p>
          <code>{ref}</code> <CopyButton label="Copy ref" text={ref} />
        </p>
        <Link
          to="/$entity/$project/weave/traces"
          params={{ entity, project }}
          search={{ q, calls: 'all' }}
        >
          Calls that used this version
        </Link>
        <Versions {...version} />
      </header>
      {diff === undefined || diff === '' ? (
        <Value {...version} data={data} opRef={ref} />
      ) : (
        <VersionDiff {...version} other={diff} />
      )}
    </main>
  );
}

interface ValueProps {
  readonly projectId: string;
  readonly kind: 'op' | 'object';
  readonly data: ObjectText;
  readonly opRef: string;
}

function Value({ projectId, kind, data, opRef }: ValueProps) {
  const source = useMemo(() => localSource(data.value), [data]);
  const table = tableOf(data.value);
  const prompt = textAt(data.value, 'content');
  return (
    <>
      {kind === 'op' && <CodeTab opRef={opRef} />}
      {data.baseClass === 'Prompt' && prompt !== undefined && (
        <section aria-label="Prompt" className={css.prompt}>
          <MarkdownView text={prompt} />
        </section>
      )}
      {table !== undefined && <TableView projectId={table.projectId} digest={table.digest} />}
      <JsonView
        projectId={projectId}
        member="val"
        source={source}
        isLarge={data.value.length > LARGE_CHARACTERS}
      />
    </>
  );
}
