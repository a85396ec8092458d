import { useQuery } from '@tanstack/react-query';
import { Problem } from '../ui/parts.js';
import { repricingQuery } from './prices-api.js';
import css from '../costs/costs.module.css';

interface Props {
  readonly projectId: string;
}

/** How far the stored costs are refreshed after a change of prices; nothing when they are current. */
export function Repricing({ projectId }: Props) {
  const { data, error, refetch } = useQuery(repricingQuery(projectId));
  if (error !== null) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined || data.is_current) return null;
  const { calls_done: done, calls_total: total } = data;
  return (
    <p role="status" className={css.muted}>
      {total === 0 ? (
        <>The stored costs of calls are refreshed within a minute.</>
      ) : (
        <>
          The stored costs of calls are refreshed:{' '}
          <progress value={done} max={total} aria-label="Refreshed calls" />{' '}
          {done.toLocaleString('en')} of {total.toLocaleString('en')} calls.
        </>
      )}{' '}
      This page, costs and statistics use the new prices already; exports of ClickHouse&apos;s own
      tables use the stored costs.
    </p>
  );
}
