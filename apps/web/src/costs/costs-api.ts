import { queryOptions } from '@tanstack/react-query';
import { post, send } from '../api/client.js';
import type { Period } from './period.js';

export interface CostRow {
  readonly calls: number;
  readonly requests: number;
  readonly uncached_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  /** Null where there is no price. */
  readonly total_cost: number | null;
  readonly unit: string | null;
  readonly pricing: 'full' | 'partial' | 'none' | 'unused';
  readonly unpriced_tokens: number;
  /** The values of the groups, by name; that of a path is `attribute_1`. */
  readonly [group: string]: string | number | null;
}

export interface Price {
  readonly id: string;
  readonly llm_id: string;
  readonly prompt_token_cost: number;
  readonly completion_token_cost: number;
  readonly cache_read_input_token_cost: number | null;
  readonly cache_creation_input_token_cost: number | null;
  readonly prompt_token_cost_unit: string;
  readonly effective_date: string;
  readonly pricing_level: string;
  readonly source: string | null;
}

const ROWS_MAX = 1000;
export const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const requestOf = (project_id: string, { start, end }: Period, group_by: readonly string[]) => ({
  ...{ project_id, start, end, group_by, timezone },
});

export const COSTS_KEY = 'costs';

export const costsQuery = (projectId: string, period: Period, groups: readonly string[]) =>
  queryOptions({
    queryKey: [COSTS_KEY, projectId, period, groups],
    queryFn: async ({ signal }) => {
      const body = { ...requestOf(projectId, period, groups), limit: ROWS_MAX };
      const { results } = await post<{ readonly results: readonly CostRow[] }>(
        '/costs/report',
        body,
        signal,
      );
      return results;
    },
  });

export async function readCsv(projectId: string, period: Period, groups: readonly string[]) {
  const body = { ...requestOf(projectId, period, groups), format: 'csv' };
  return (await send('/costs/report', { body })).blob();
}

/** The prices of a model, of the project and the default ones, the newest first. */
export const pricesQuery = (projectId: string, model: string) =>
  queryOptions({
    queryKey: [COSTS_KEY, projectId, 'prices', model],
    queryFn: async ({ signal }) => {
      const query = { $expr: { $eq: [{ $getField: 'llm_id' }, { $literal: model }] } };
      const { results } = await post<{ readonly results: readonly Price[] }>(
        '/cost/query',
        { project_id: projectId, query, include_defaults: true },
        signal,
      );
      return [...results].sort((a, b) => (a.effective_date < b.effective_date ? 1 : -1));
    },
  });

export interface NewPrice {
  readonly input: string;
  readonly output: string;
  readonly since: string;
}

/** People write prices per million tokens. The exponent keeps the decimal exact, which a division would not. */
export const perToken = (perMillion: string): number => Number(`${perMillion.trim()}e-6`);

export const createPrice = (
  project_id: string,
  model: string,
  { input, output, since }: NewPrice,
) =>
  post('/cost/create', {
    project_id,
    costs: {
      [model]: {
        prompt_token_cost: perToken(input),
        completion_token_cost: perToken(output),
        effective_date: `${since}T00:00:00Z`,
      },
    },
  });
