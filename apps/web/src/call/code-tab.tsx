import { useQuery } from '@tanstack/react-query';
import { CodeView } from '../objects/code-view.js';
import { opCodeQuery } from '../objects/op-code.js';
import { CopyButton, Empty, Problem } from '../ui/parts.js';
import css from './code-tab.module.css';

interface CodeTabProps {
  /** `weave:///<entity>/<project>/op/<name>:<digest>` */
  readonly opRef: string;
}

/** The code of an op. */
export function CodeTab({ opRef }: CodeTabProps) {
  const { data, error } = useQuery(opCodeQuery(opRef));
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <Empty>Loading…</Empty>;
  if (data === null) return <Empty>The SDK has stored no code of this op.</Empty>;
  return (
    <div className={css.code}>
      <CopyButton label="Copy code" text={data.text} />
      <CodeView code={data.text} language={data.language} />
    </div>
  );
}
