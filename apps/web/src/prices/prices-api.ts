import { queryOptions } from '@tanstack/react-query';
import { post, send } from '../api/client.js';
import { parseCosts } from '../costs/decimal.js';

/** Decimal text, with all digits that the server has. */
export interface StoredPrice {
  readonly id: string;
  readonly llm_id: string;
  readonly prompt_token_cost: string;
  readonly completion_token_cost: string;
  readonly cache_read_input_token_cost: string;
  readonly cache_creation_input_token_cost: string;
  readonly prompt_token_cost_unit: string;
  readonly effective_date: string;
  readonly pricing_level: 'project' | 'default';
  readonly source: string;
  readonly created_by: string;
  readonly created_at: string;
}

export interface WhatIfCost {
  readonly unit: string;
  readonly cost_now: string;
  readonly would_cost: string;
  readonly difference: string;
}

export interface WhatIf {
  readonly models: readonly {
    readonly model: string;
    readonly calls: number;
    readonly unpriced_tokens_now: number;
    readonly unpriced_tokens_then: number;
    readonly costs: readonly WhatIfCost[];
  }[];
  readonly totals: readonly WhatIfCost[];
}

/** How far stored costs are refreshed after a change of prices. */
interface Repricing {
  readonly is_current: boolean;
  readonly changed_at: string | null;
  readonly calls_done: number;
  readonly calls_total: number;
}

/** A price of one model as the server takes it, per token. */
export interface NewPrice {
  readonly llm_id: string;
  readonly prompt_token_cost: number;
  readonly completion_token_cost: number;
  readonly cache_read_input_token_cost: number;
  readonly cache_creation_input_token_cost: number;
  readonly effective_date: string;
}

const FIELDS = [
  ...['id', 'llm_id', 'prompt_token_cost', 'completion_token_cost'],
  ...['cache_read_input_token_cost', 'cache_creation_input_token_cost'],
  ...['prompt_token_cost_unit', 'effective_date', 'pricing_level', 'source'],
  ...['created_by', 'created_at'],
];
/** Prices on the screen; a search narrows them. */
export const PRICES_MAX = 190;
export const PRICES_KEY = 'prices';

const literal = (value: string) => ({ $literal: value });
const LLM_ID = { $getField: 'llm_id' };

/** The newest prices whose model contains a text, or all prices of one model. */
export const pricesQuery = (project_id: string, find: string, model: string | undefined) =>
  queryOptions({
    queryKey: [PRICES_KEY, project_id, find, model],
    queryFn: async ({ signal }) => {
      const expr =
        model !== undefined
          ? { $eq: [LLM_ID, literal(model)] }
          : { $contains: { input: LLM_ID, substr: literal(find), case_insensitive: true } };
      const body = {
        project_id,
        include_defaults: true,
        fields: FIELDS,
        ...((model !== undefined || find !== '') && { query: { $expr: expr } }),
        sort_by: [
          { field: 'pricing_level', direction: 'desc' },
          { field: 'llm_id', direction: 'asc' },
          { field: 'effective_date', direction: 'desc' },
        ],
        limit: PRICES_MAX + 1,
      };
      const response = await send('/cost/query', { body, signal });
      const text = await response.text();
      return parseCosts<{ readonly results: readonly StoredPrice[] }>(text).results;
    },
  });

export const whatIf = (
  project_id: string,
  change: { readonly prices?: readonly NewPrice[]; readonly without?: readonly string[] },
) => post<WhatIf>('/cost/what_if', { project_id, ...change });

export const savePrice = (project_id: string, { llm_id, ...price }: NewPrice) =>
  post('/cost/create', { project_id, costs: { [llm_id]: price } });

export const removePrice = (project_id: string, id: string) =>
  post('/cost/purge', {
    project_id,
    query: { $expr: { $eq: [{ $getField: 'id' }, literal(id)] } },
  });

const REPRICING_KEY = 'repricing';
const REPRICING_EVERY_MS = 2000;

/** Is read again until all costs are current. */
export const repricingQuery = (projectId: string) =>
  queryOptions({
    queryKey: [PRICES_KEY, REPRICING_KEY, projectId],
    queryFn: ({ signal }) => post<Repricing>('/cost/repricing', { project_id: projectId }, signal),
    refetchInterval: ({ state }) =>
      state.data === undefined || state.data.is_current ? false : REPRICING_EVERY_MS,
  });
