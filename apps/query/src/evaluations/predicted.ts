import { decimalOf, unitsOf } from '@app/pricing';
import type { StoredCall } from './stored-call.js';

/** The tokens in the usage of a call; undefined when it has none. */
export function tokensOf(call: StoredCall): number | undefined {
  const usage = membersOf(call.jsonAt('summary', 'usage'));
  const totals = usage.flatMap((model) => totalIn(model) ?? []);
  return totals.length === 0 ? undefined : totals.reduce((sum, one) => sum + one, 0);
}

function totalIn(usage: unknown): number | undefined {
  if (usage === null || typeof usage !== 'object') return undefined;
  const counts = usage as Readonly<Record<string, unknown>>;
  const [total] = numbersIn(counts, ['total_tokens']);
  if (total !== undefined) return total;
  const parts = [
    ...numbersIn(counts, ['prompt_tokens', 'input_tokens']).slice(0, 1),
    ...numbersIn(counts, ['completion_tokens', 'output_tokens']).slice(0, 1),
  ];
  return parts.length === 0 ? undefined : parts.reduce((sum, one) => sum + one, 0);
}

const numbersIn = (counts: Readonly<Record<string, unknown>>, names: readonly string[]): number[] =>
  names.flatMap((name) => (typeof counts[name] === 'number' ? [counts[name]] : []));

const COSTS = [
  'prompt_tokens_total_cost',
  'completion_tokens_total_cost',
  'cache_read_input_tokens_total_cost',
  'cache_creation_input_tokens_total_cost',
];

/** The cost of a call in units of 10^-18; undefined when no price is known. */
export function costUnitsOf(call: StoredCall): bigint | undefined {
  const costs = call.jsonAt('summary', 'weave', 'costs');
  const models = Object.keys(costs?.startsWith('{') ? (JSON.parse(costs) as object) : {});
  const texts = models.flatMap((model) =>
    COSTS.flatMap((name) => call.jsonAt('summary', 'weave', 'costs', model, name) ?? []),
  );
  const known = texts.filter((text) => /^-?\d+(\.\d{1,18})?$/.test(text));
  return known.length === 0 ? undefined : known.reduce((sum, text) => sum + unitsOf(text), 0n);
}

/** JSON text of a number or null. */
export const printedUnits = (units: bigint | undefined): string =>
  units === undefined ? 'null' : decimalOf(units);

function membersOf(json: string | undefined): unknown[] {
  return json?.startsWith('{') ? Object.values(JSON.parse(json) as object) : [];
}
