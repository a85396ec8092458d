import { useState, type FormEvent } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { mayWrite } from '../login/session.js';
import { useSession } from '../shell/session-context.js';
import { Empty, Problem, useTitle } from '../ui/parts.js';
import { ModelPrices, priceText } from './model-prices.js';
import { PriceForm } from './price-form.js';
import { Repricing } from './repricing.js';
import { PRICES_MAX, pricesQuery, type StoredPrice } from './prices-api.js';
import board from '../ui/board.module.css';
import css from '../costs/costs.module.css';

const FROM = '/$entity/$project/weave/prices';

/** The prices that may count in a project: its own and the default ones. */
export function Prices() {
  const { entity, project } = useParams({ from: FROM });
  const projectId = `${entity}/${project}`;
  useTitle(`Prices of ${projectId}`);
  const { find = '', model } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const { role } = useSession();
  const { data, error, refetch } = useQuery({
    ...pricesQuery(projectId, find, undefined),
    placeholderData: keepPreviousData,
  });
  return (
    <main id="main" className={css.costs}>
      <div className={css.head}>
        <h1>Prices</h1>
        <Search
          key={find}
          find={find}
          onFind={(text) => void navigate({ search: { find: text } })}
        />
        <Link to="/$entity/$project/weave/costs" params={{ entity, project }}>
          Costs
        </Link>
      </div>
      {mayWrite(role) && (
        <details>
          <summary>Set a price of this project</summary>
          <PriceForm
            projectId={projectId}
            model={undefined}
            since={new Date().toISOString().slice(0, 10)}
            onSaved={(saved) => void navigate({ search: { find, model: saved } })}
          />
        </details>
      )}
      <Repricing projectId={projectId} />
      {model !== undefined && (
        <ModelPrices key={model} projectId={projectId} model={model} mayChange={mayWrite(role)} />
      )}
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Empty>Loading…</Empty>}
      {data?.length === 0 && <Empty>No model has this in its name.</Empty>}
      {data !== undefined && data.length > 0 && (
        <PriceTable prices={data.slice(0, PRICES_MAX)} find={find} selected={model} />
      )}
      {data !== undefined && data.length > PRICES_MAX && (
        <p>The first {PRICES_MAX} prices are shown; search for a model to see others.</p>
      )}
      <p className={css.muted}>
        Prices are per million tokens. A price of the project counts from its date on instead of the
        default one. A call has the price that was in force when it started.
      </p>
    </main>
  );
}

interface SearchProps {
  readonly find: string;
  readonly onFind: (text: string) => void;
}

function Search({ find, onFind }: SearchProps) {
  const [text, setText] = useState(find);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onFind(text.trim());
  };
  return (
    <form role="search" onSubmit={submit} className={css.fields}>
      <label className={css.field}>
        Model contains
        <input
          type="search"
          value={text}
          maxLength={256}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <button type="submit">Search</button>
    </form>
  );
}

interface TableProps {
  readonly prices: readonly StoredPrice[];
  readonly find: string;
  readonly selected: string | undefined;
}

function PriceTable({ prices, find, selected }: TableProps) {
  return (
    <div className={board.scroll} role="region" aria-label="Prices" tabIndex={0}>
      <table className={`${board.table} ${css.table}`}>
        <thead>
          <tr>
            {['Model', 'Whose', 'Since', 'Input', 'Output'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {prices.map((price) => (
            <tr key={price.id}>
              <th scope="row">
                <Link
                  from={FROM}
                  search={{ ...(find !== '' && { find }), model: price.llm_id }}
                  aria-current={price.llm_id === selected ? 'true' : undefined}
                >
                  {price.llm_id}
                </Link>
              </th>
              <td>{price.pricing_level}</td>
              <td>{price.effective_date.slice(0, 10)}</td>
              <td className={css.number}>
                {priceText(price.prompt_token_cost, price.prompt_token_cost_unit)}
              </td>
              <td className={css.number}>
                {priceText(price.completion_token_cost, price.prompt_token_cost_unit)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
