import { useState, type FormEvent } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { COSTS_KEY } from '../costs/costs-api.js';
import { Problem } from '../ui/parts.js';
import { perToken } from './price-history.js';
import { PRICES_KEY, savePrice, whatIf, type NewPrice } from './prices-api.js';
import { WhatIfTable } from './what-if.js';
import css from '../costs/costs.module.css';

interface PriceFormProps {
  readonly projectId: string;
  /** Absent for a field of the form. */
  readonly model: string | undefined;
  readonly since: string;
  readonly onSaved: (model: string) => void;
}

/** Takes a price, shows what it would change, and saves it. */
export function PriceForm({ projectId, model, since, onSaved }: PriceFormProps) {
  const [proposed, setProposed] = useState<NewPrice | undefined>();
  const queries = useQueryClient();
  const preview = useMutation({
    mutationFn: (price: NewPrice) => whatIf(projectId, { prices: [price] }),
  });
  const save = useMutation({
    mutationFn: (price: NewPrice) => savePrice(projectId, price),
    onSuccess: async (_, { llm_id }) => {
      setProposed(undefined);
      preview.reset();
      onSaved(llm_id);
      await Promise.all([
        queries.invalidateQueries({ queryKey: [PRICES_KEY] }),
        queries.invalidateQueries({ queryKey: [COSTS_KEY] }),
      ]);
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const price = priceIn(new FormData(event.currentTarget), model);
    setProposed(price);
    preview.mutate(price);
  };
  const problem = preview.error ?? save.error;
  return (
    <>
      <form
        onSubmit={submit}
        // What is shown is always what would be saved.
        onChange={() => setProposed(undefined)}
        className={css.fields}
      >
        {model === undefined && (
          <label className={css.field}>
            Model
            <input name="model" required maxLength={256} />
          </label>
        )}
        {AMOUNTS.map(([name, label, isRequired]) => (
          <label key={name} className={css.field}>
            {label}, $ per million tokens
            <input name={name} type="number" min={0} step="any" required={isRequired} />
          </label>
        ))}
        <label className={css.field}>
          In force since
          <input name="since" type="date" required defaultValue={since} />
        </label>
        <button type="submit" disabled={preview.isPending}>
          What would change?
        </button>
      </form>
      {problem !== null && <Problem error={problem} />}
      {proposed !== undefined && preview.data !== undefined && (
        <>
          <WhatIfTable result={preview.data} />
          <button type="button" disabled={save.isPending} onClick={() => save.mutate(proposed)}>
            Save the price
          </button>
        </>
      )}
    </>
  );
}

const AMOUNTS = [
  ['input', 'Input', true],
  ['output', 'Output', true],
  ['read', 'Cache read', false],
  ['write', 'Cache write', false],
] as const;

function priceIn(form: FormData, model: string | undefined): NewPrice {
  const text = (name: string) => ((form.get(name) as string | null) ?? '').trim();
  return {
    llm_id: model ?? text('model'),
    prompt_token_cost: perToken(text('input')),
    completion_token_cost: perToken(text('output')),
    cache_read_input_token_cost: perToken(text('read')),
    cache_creation_input_token_cost: perToken(text('write')),
    effective_date: `${text('since')}T00:00:00Z`,
  };
}
