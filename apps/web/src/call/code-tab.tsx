import { useQuery } from '@tanstack/react-query';
import { post } from '../api/client.js';
import { CopyButton, Empty, Problem } from '../ui/parts.js';
import { fileQuery } from './media.js';
import { opRefOf } from './ref-link.js';
import css from './code-tab.module.css';

interface StoredOp {
  readonly obj: { readonly val: { readonly files?: Readonly<Record<string, string>> } | null };
}

const CODE_FILE = /\.(py|ts|js)$/;

interface CodeTabProps {
  /** `weave:///<entity>/<project>/op/<name>:<digest>` */
  readonly opRef: string;
}

/** The code of an op, as the SDK has stored it when the op was called first. */
export function CodeTab({ opRef }: CodeTabProps) {
  const op = opRefOf(opRef);
  const projectId = op === undefined ? '' : `${op.entity}/${op.project}`;
  const stored = useQuery({
    queryKey: ['op', opRef],
    staleTime: Infinity,
    enabled: op !== undefined,
    queryFn: async ({ signal }): Promise<string | null> => {
      const body = { project_id: projectId, object_id: op!.name, digest: op!.digest };
      const { obj } = await post<StoredOp>('/obj/read', body, signal);
      const files = Object.entries(obj.val?.files ?? {});
      return files.find(([name]) => CODE_FILE.test(name))?.[1] ?? null;
    },
  });
  const file = useQuery({
    ...fileQuery(projectId, stored.data ?? ''),
    enabled: typeof stored.data === 'string',
  });
  const code = useQuery({
    queryKey: ['code', stored.data],
    enabled: file.data !== undefined,
    staleTime: Infinity,
    queryFn: () => file.data!.text(),
  });
  if (stored.data === null) return <Empty>The SDK has stored no code of this op.</Empty>;
  const error = stored.error ?? file.error;
  if (error !== null) return <Problem error={error} />;
  if (code.data === undefined) return <Empty>Loading…</Empty>;
  return (
    <div className={css.code}>
      <CopyButton label="Copy code" text={code.data} />
      <pre tabIndex={0}>{code.data}</pre>
    </div>
  );
}
