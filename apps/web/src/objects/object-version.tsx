import { quoted } from '@app/query-language/text';
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { send } from '../api/client.js';
import { CodeTab } from '../call/code-tab.js';
import { localSource } from '../call/json-source.js';
import { JsonView } from '../call/json-view.js';
import { nodeOfPath, stringOf } from '../call/json-index.js';
import { formatTime } from '../format.js';
import { CopyButton, Empty, Problem, useTitle } from '../ui/parts.js';
import css from './object-version.module.css';

/** Above this size only the first level is open at first. */
const LARGE_CHARACTERS = 100_000;

interface ObjectText {
  readonly kind: string;
  readonly createdAt: string;
  readonly version: string;
  readonly digest: string;
  /** The exact text that was sent. */
  readonly value: string;
}

/** A version of an object or of an op: the link that the SDKs print. */
export function ObjectVersion() {
  const { entity = '', project = '', name = '', digest = 'latest' } = useParams({ strict: false });
  const projectId = `${entity}/${project}`;
  useTitle(name);
  const { data, error } = useQuery({
    queryKey: ['object', projectId, name, digest],
    queryFn: ({ signal }) => readObject({ project_id: projectId, object_id: name, digest }, signal),
  });
  const source = useMemo(() => localSource(data?.value ?? 'null'), [data]);
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <Empty>Loading…</Empty>;
  const kind = data.kind === 'op' ? 'op' : 'object';
  const ref = `weave:///${projectId}/${kind}/${name}:${data.digest}`;
  const q = kind === 'op' ? `op = ${quoted(ref)}` : `input_refs ~ ${quoted(ref)}`;
  return (
    <main id="main" className={css.object}>
      <header>
        <h1>
          {name} <span className={css.muted}>v{data.version}</span>
        </h1>
        <p className={css.muted}>
          {data.kind}, created {formatTime(data.createdAt, Date.now())}
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
      </header>
      {kind === 'op' && <CodeTab opRef={ref} />}
      <JsonView
        projectId={projectId}
        member="val"
        source={source}
        isLarge={data.value.length > LARGE_CHARACTERS}
      />
    </main>
  );
}

async function readObject(request: object, signal: AbortSignal): Promise<ObjectText> {
  const response = await send('/obj/read', { body: request, signal });
  const text = await response.text();
  const span = (key: string) => nodeOfPath(text, ['obj', key]);
  const words = (key: string) => {
    const node = span(key);
    if (node === undefined) return '';
    return node.kind === 'string' ? stringOf(text, node) : text.slice(node.start, node.end);
  };
  const value = span('val');
  return {
    kind: words('kind'),
    createdAt: words('created_at'),
    version: words('version_index'),
    digest: words('digest'),
    value: value === undefined ? 'null' : text.slice(value.start, value.end),
  };
}
