import type { Alert, AlertKind } from './alerts-api.js';

/** What a kind watches, and the unit of its threshold. */
export const KIND_TEXTS: Readonly<
  Record<AlertKind, { readonly label: string; readonly unit: string }>
> = {
  cost: { label: 'Cost of the day (UTC)', unit: 'USD' },
  error_rate: { label: 'Error rate', unit: '%' },
  latency: { label: 'Latency', unit: 'ms' },
  dead_letters: { label: 'Open dead letters', unit: '' },
  no_data: { label: 'No calls', unit: '' },
};

export const isOfCalls = (kind: AlertKind): boolean =>
  kind === 'error_rate' || kind === 'latency' || kind === 'no_data';

type Condition = Pick<Alert, 'kind' | 'threshold' | 'percentile' | 'window_minutes' | 'op'>;

/** `Latency (p95) of f over 2000 ms in 15 minutes`. */
export function conditionText(alert: Condition): string {
  const { kind, threshold, percentile, window_minutes, op } = alert;
  const { label } = KIND_TEXTS[kind];
  return [
    kind === 'latency' ? `${label} (p${percentile})` : label,
    op === null ? '' : `of ${op}`,
    threshold === null ? '' : `over ${withUnit(kind, threshold)}`,
    window_minutes === null ? '' : `in ${window_minutes} minutes`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** Exactly what the server has computed; it is never rounded. */
export const valueText = ({ kind, value }: Pick<Alert, 'kind' | 'value'>): string =>
  value === null ? '–' : kind === 'no_data' ? `${value} calls` : withUnit(kind, value);

function withUnit(kind: AlertKind, value: string): string {
  const { unit } = KIND_TEXTS[kind];
  return unit === 'USD' ? `$${value}` : unit === '' ? value : `${value} ${unit}`;
}

const STATE_TEXTS = {
  ok: 'ok',
  firing: 'firing',
  no_data: 'no data',
  error: 'error',
} as const;

export const stateText = (state: string | null): string =>
  STATE_TEXTS[state as keyof typeof STATE_TEXTS] ?? 'not evaluated yet';
