import { send } from '../api/client.js';
import type { CallPreview } from '../api/types.js';
import { opLabel } from '../format.js';
import type { Column } from './columns.js';

const ROWS_MAX = 10_000;

type Cell = (call: CallPreview) => string | number | null;

const VALUES: Readonly<Record<string, Cell>> = {
  status: ({ status }) => status,
  latency: ({ latency_ms }) => latency_ms,
  tokens: ({ tokens }) => tokens,
  cost: ({ cost }) => cost,
  started: ({ started_at }) => started_at,
  input: ({ inputs }) => inputs.text,
  output: ({ output }) => output.text,
  user: ({ wb_user_id }) => wb_user_id,
  thread: ({ thread_id }) => thread_id,
  feedback: ({ feedback }) => feedback,
  exception: ({ exception }) => exception,
  id: ({ id }) => id,
};

/** The rows and columns that the list shows, with exact values instead of formatted ones. */
export function csvOf(
  calls: readonly CallPreview[],
  columns: readonly Pick<Column, 'id'>[],
): string {
  const cells: readonly (readonly [string, Cell])[] = [
    ['op', (call) => call.display_name ?? opLabel(call.op_name)],
    ...columns.flatMap(({ id }) => {
      const value = VALUES[id];
      return value === undefined ? [] : [[id, value] as const];
    }),
  ];
  const lines = [
    cells.map(([name]) => name),
    ...calls.map((call) => cells.map(([, value]) => String(value(call) ?? ''))),
  ];
  return lines.map((line) => `${line.map(csvCell).join(',')}\r\n`).join('');
}

/** A spreadsheet would execute a cell that begins like a formula. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export async function readJsonLines(request: object): Promise<Blob> {
  const body = { ...request, limit: ROWS_MAX, include_costs: true };
  const response = await send('/calls/stream_query', { body });
  return response.blob();
}

export function download(name: string, type: string, content: string | Blob): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken the content once the click is handled.
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
