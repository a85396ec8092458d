import { useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { COSTS_KEY } from '../costs/costs-api.js';
import { Empty, Problem } from '../ui/parts.js';
import { perMillion, priceHistory, type PricePeriod } from './price-history.js';
import { PRICES_KEY, pricesQuery, removePrice, whatIf, type StoredPrice } from './prices-api.js';
import { PriceForm } from './price-form.js';
import { WhatIfTable } from './what-if.js';
import board from '../ui/board.module.css';
import css from '../costs/costs.module.css';

interface ModelProps {
  readonly projectId: string;
  readonly model: string;
  readonly mayChange: boolean;
}

/** Every price of a model, with the time in which it counts. */
export function ModelPrices({ projectId, model, mayChange }: ModelProps) {
  const { data, error } = useQuery(pricesQuery(projectId, '', model));
  const [removed, setRemoved] = useState<StoredPrice | undefined>();
  const history = data === undefined ? [] : priceHistory(data, new Date().toISOString());
  return (
    <section aria-label={`Prices of ${model}`} className={css.sum}>
      <h2>{model}</h2>
      {error !== null && <Problem error={error} />}
      {data?.length === 0 && <Empty>No price is known for this model.</Empty>}
      {history.length > 0 && (
        <div className={board.scroll} role="region" aria-label="History" tabIndex={0}>
          <table className={`${board.table} ${css.table}`}>
            <thead>
              <tr>
                {HEADS.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
                {mayChange && <th scope="col">Actions</th>}
              </tr>
            </thead>
            <tbody>
              {history.map((period) => (
                <PeriodRow
                  key={period.price.id}
                  period={period}
                  mayChange={mayChange}
                  onRemove={setRemoved}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {removed !== undefined && (
        <Removal
          key={removed.id}
          projectId={projectId}
          price={removed}
          onDone={() => setRemoved(undefined)}
        />
      )}
      {mayChange && (
        <details>
          <summary>Set a price of this project for {model}</summary>
          <PriceForm
            projectId={projectId}
            model={model}
            since={new Date().toISOString().slice(0, 10)}
            onSaved={() => undefined}
          />
        </details>
      )}
    </section>
  );
}

const HEADS = ['In force', 'State', 'Whose', 'Input', 'Output', 'Cache read', 'Cache write', 'Set'];

interface PeriodProps {
  readonly period: PricePeriod;
  readonly mayChange: boolean;
  readonly onRemove: (price: StoredPrice) => void;
}

function PeriodRow({ period: { price, from, until, state }, mayChange, onRemove }: PeriodProps) {
  const day = price.effective_date.slice(0, 10);
  const span =
    state === 'never'
      ? `never, dated ${day}`
      : `${from === undefined ? 'from the beginning' : `since ${day}`}${until === undefined ? '' : ` until ${until.slice(0, 10)}`}`;
  const isOwn = price.pricing_level === 'project';
  return (
    <tr>
      <th scope="row">{span}</th>
      <td>{state}</td>
      <td>{isOwn ? 'project' : `default${price.source === '' ? '' : ` of ${price.source}`}`}</td>
      {[
        price.prompt_token_cost,
        price.completion_token_cost,
        price.cache_read_input_token_cost,
        price.cache_creation_input_token_cost,
      ].map((cost, i) => (
        <td key={i} className={css.number}>
          {priceText(cost, price.prompt_token_cost_unit)}
        </td>
      ))}
      <td>
        {price.created_at.slice(0, 10)} by {price.created_by}
      </td>
      {mayChange && (
        <td>
          {isOwn && (
            <button
              type="button"
              aria-label={`Remove the price since ${day}`}
              onClick={() => onRemove(price)}
            >
              Remove
            </button>
          )}
        </td>
      )}
    </tr>
  );
}

/** Per million tokens. */
export const priceText = (perToken: string, unit: string): string =>
  unit === 'USD' ? `$${perMillion(perToken)}` : `${perMillion(perToken)} ${unit}`;

interface RemovalProps {
  readonly projectId: string;
  readonly price: StoredPrice;
  readonly onDone: () => void;
}

/** Shows what the removal of a price would change, before it is removed. */
function Removal({ projectId, price, onDone }: RemovalProps) {
  const queries = useQueryClient();
  const preview = useQuery({
    queryKey: [PRICES_KEY, projectId, 'without', price.id],
    queryFn: () => whatIf(projectId, { without: [price.id] }),
  });
  const remove = useMutation({
    mutationFn: () => removePrice(projectId, price.id),
    onSuccess: async () => {
      onDone();
      await Promise.all([
        queries.invalidateQueries({ queryKey: [PRICES_KEY] }),
        queries.invalidateQueries({ queryKey: [COSTS_KEY] }),
      ]);
    },
  });
  const problem = preview.error ?? remove.error;
  return (
    <div className={css.notice}>
      <p>Remove the price since {price.effective_date.slice(0, 10)}?</p>
      {preview.data !== undefined && <WhatIfTable result={preview.data} />}
      {problem !== null && <Problem error={problem} />}
      <div className={css.fields}>
        <button type="button" onClick={onDone}>
          Cancel
        </button>
        <button
          type="button"
          disabled={preview.data === undefined || remove.isPending}
          onClick={() => remove.mutate()}
        >
          Remove the price
        </button>
      </div>
    </div>
  );
}
