import type { FormEvent } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { formatCount } from '../format.js';
import { mayWrite } from '../login/session.js';
import { useSession } from '../shell/session-context.js';
import { Problem } from '../ui/parts.js';
import { COSTS_KEY, costsQuery, createPrice, type NewPrice } from './costs-api.js';
import type { Period } from './period.js';
import { valueOf } from './summary.js';
import css from './costs.module.css';

interface UnpricedProps {
  readonly projectId: string;
  readonly period: Period;
}

/** Names the models whose usage has no price, and takes a price for each. */
export function Unpriced({ projectId, period }: UnpricedProps) {
  const { data = [] } = useQuery(costsQuery(projectId, period, ['model']));
  const unpriced = data.filter((row) => row.unpriced_tokens > 0);
  if (unpriced.length === 0) return null;
  return (
    <section aria-label="Usage without a price" className={css.notice}>
      <ul className={css.unpriced}>
        {unpriced.map((row) => (
          <li key={valueOf(row, 'model')}>
            <p>
              {formatCount(row.unpriced_tokens)} tokens of{' '}
              <strong>{valueOf(row, 'model') || 'no model'}</strong> have no price and are not in
              the sum.
            </p>
            <PriceForm projectId={projectId} model={valueOf(row, 'model')} period={period} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface PriceFormProps extends UnpricedProps {
  readonly model: string;
}

function PriceForm({ projectId, model, period }: PriceFormProps) {
  const { role } = useSession();
  const queries = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: (price: NewPrice) => createPrice(projectId, model, price),
    onSuccess: () => queries.invalidateQueries({ queryKey: [COSTS_KEY] }),
  });
  if (!mayWrite(role) || model === '') return null;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => form.get(name) as string;
    mutate({ input: text('input'), output: text('output'), since: text('since') });
  };
  return (
    <details>
      <summary>Set the price of {model}</summary>
      <form onSubmit={submit} className={css.fields}>
        <label className={css.field}>
          Input, $ per million tokens
          <input name="input" type="number" min={0} step="any" required />
        </label>
        <label className={css.field}>
          Output, $ per million tokens
          <input name="output" type="number" min={0} step="any" required />
        </label>
        <label className={css.field}>
          In force since
          <input name="since" type="date" required defaultValue={period.start.slice(0, 10)} />
        </label>
        <button type="submit" disabled={isPending}>
          Save the price
        </button>
      </form>
      {error !== null && <Problem error={error} />}
    </details>
  );
}
