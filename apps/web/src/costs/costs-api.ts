import { queryOptions } from '@tanstack/react-query';
import { send } from '../api/client.js';
import { parseCosts } from './decimal.js';
import type { Period } from './period.js';

export interface CostRow {
  readonly calls: number;
  readonly requests: number;
  readonly uncached_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  /** A decimal with all its digits; null where there is no price. */
  readonly total_cost: string | null;
  readonly unit: string | null;
  readonly pricing: 'full' | 'partial' | 'none' | 'unused';
  readonly unpriced_tokens: number;
  /** The values of the groups, by name; that of a path is `attribute_1`. */
  readonly [group: string]: string | number | null;
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
      const response = await send('/costs/report', { body, signal });
      return parseCosts<{ readonly results: readonly CostRow[] }>(await response.text()).results;
    },
  });

export type FileFormat = 'csv' | 'parquet';

export async function readFile(
  projectId: string,
  period: Period,
  groups: readonly string[],
  format: FileFormat,
) {
  const body = { ...requestOf(projectId, period, groups), format };
  return (await send('/costs/report', { body })).blob();
}
