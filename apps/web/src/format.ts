const count0 = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export const formatCount = (value: number): string => count0.format(value);

export const formatShare = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** `0.4 ms`, `820 ms`, `4.21 s`, `2 m 05 s`, `3 h 04 m`. */
export function formatDuration(ms: number): string {
  if (ms < 1) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_995) return `${(ms / 1000).toFixed(2)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${two(seconds % 60)} s`;
  const minutes = Math.floor(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} m`;
}

const two = (value: number) => String(value).padStart(2, '0');

/** Small amounts keep two significant digits, because one call often costs a fraction of a cent. */
export function formatMoney(dollars: number): string {
  if (dollars === 0) return '$0';
  const amount = Math.abs(dollars);
  const digits = amount >= 1 ? 2 : Math.min(10, 1 - Math.floor(Math.log10(amount)));
  return `${dollars < 0 ? '−' : ''}$${grouped(amount.toFixed(Math.max(2, digits)))}`;
}

const grouped = (text: string) => text.replace(/\B(?=(\d{3})+(?=\.))/g, ',');

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
  return `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`;
}

const AGES: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
];

/** `just now`, `3 min ago`, `2 d ago`. */
export function formatAge(at: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(at)) / 1000);
  const age = AGES.find(([length]) => seconds >= length);
  return age === undefined ? 'just now' : `${Math.floor(seconds / age[0])} ${age[1]} ago`;
}

/** The local time, with the date when it is not of today. */
export function formatTime(at: string, now: number): string {
  const date = new Date(at);
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  const isToday = date.toDateString() === new Date(now).toDateString();
  return isToday ? time : `${formatDay(date)} ${time}`;
}

const formatDay = (date: Date) =>
  `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;

/** The name inside an op's ref, else the op name as it is. */
export function opLabel(opName: string): string {
  return /^weave:\/\/\/[^/]+\/[^/]+\/op\/([^:/]+)/.exec(opName)?.[1] ?? opName;
}
