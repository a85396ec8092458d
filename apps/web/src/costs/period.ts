export interface Period {
  readonly start: string;
  readonly end: string;
}

/** Its name in the address, the days, and the unit of the chart. */
export const PERIODS = [
  { name: '24h', label: 'last 24 hours', days: 1, step: 'hour' },
  { name: '7d', label: 'last 7 days', days: 7, step: 'day' },
  { name: '30d', label: 'last 30 days', days: 30, step: 'day' },
  { name: '90d', label: 'last 90 days', days: 90, step: 'day' },
] as const;

export type NamedPeriod = (typeof PERIODS)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Ends at the next full minute, so that a screen that is drawn again sends the same request. */
export function currentPeriod({ days }: NamedPeriod, now: number): Period {
  const end = Math.ceil(now / 60_000) * 60_000;
  return periodOf(end - days * DAY_MS, end);
}

export function periodBefore({ start, end }: Period): Period {
  const from = Date.parse(start);
  return periodOf(from - (Date.parse(end) - from), from);
}

const periodOf = (start: number, end: number): Period => ({
  start: new Date(start).toISOString(),
  end: new Date(end).toISOString(),
});

/** The hours or days of a period as reports write them, in local time and also those without costs. */
export function stepsOf({ start, end }: Period, step: NamedPeriod['step']): string[] {
  const steps = new Set<string>();
  const width = step === 'hour' ? HOUR_MS : DAY_MS;
  for (let at = Date.parse(start); at < Date.parse(end); at += width) steps.add(textOf(at, step));
  steps.add(textOf(Date.parse(end) - 1, step));
  return [...steps];
}

function textOf(at: number, step: NamedPeriod['step']): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return step === 'day' ? day : `${day}T${two(date.getHours())}:00`;
}

/** The part of a period that a step of its chart stands for, in local time. */
export function periodOfStep({ start, end }: Period, step: string): Period {
  const isHour = step.includes('T');
  const from = new Date(isHour ? step : `${step}T00:00`);
  if (Number.isNaN(from.getTime())) return { start, end };
  const to = new Date(from);
  if (isHour) to.setTime(from.getTime() + HOUR_MS);
  else to.setDate(from.getDate() + 1);
  return periodOf(
    Math.max(from.getTime(), Date.parse(start)),
    Math.min(to.getTime(), Date.parse(end)),
  );
}
