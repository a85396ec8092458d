import type { ReactNode } from 'react';
import type { CallPreview } from '../api/types.js';
import { formatCount, formatDuration, formatMoney, formatTime, opLabel } from '../format.js';
import { StatusBadge } from '../ui/parts.js';

export interface Column {
  readonly id: string;
  readonly label: string;
  /** Pixels. */
  readonly width: number;
  readonly isNumber?: boolean;
  /** The field to sort by. */
  readonly sort?: string;
  readonly cell: (call: CallPreview, now: number) => ReactNode;
}

const preview = ({ text, bytes }: CallPreview['inputs']): string =>
  bytes === 0 || text === '{}' || text === 'null' ? '' : text;

/** The latency of a running call is its age, which grows. */
function latency({ started_at, latency_ms, status }: CallPreview, now: number): string {
  if (latency_ms !== null) return formatDuration(latency_ms);
  return status === 'running' ? formatDuration(Math.max(0, now - Date.parse(started_at))) : '';
}

export const NAME_COLUMN: Column = {
  id: 'name',
  label: 'Op',
  width: 210,
  sort: 'summary.weave.trace_name',
  cell: (call) => call.display_name ?? opLabel(call.op_name),
};

export const COLUMNS: readonly Column[] = [
  {
    id: 'status',
    label: 'Status',
    width: 116,
    sort: 'summary.weave.status',
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  {
    id: 'latency',
    label: 'Latency',
    width: 92,
    isNumber: true,
    sort: 'summary.weave.latency_ms',
    cell: latency,
  },
  {
    id: 'tokens',
    label: 'Tokens',
    width: 86,
    isNumber: true,
    cell: ({ tokens }) => (tokens > 0 ? formatCount(tokens) : ''),
  },
  {
    id: 'cost',
    label: 'Cost',
    width: 92,
    isNumber: true,
    sort: 'summary.weave.total_cost',
    cell: ({ cost }) => (cost === null ? '' : formatMoney(cost)),
  },
  {
    id: 'started',
    label: 'Started',
    width: 156,
    sort: 'started_at',
    cell: ({ started_at }, now) => formatTime(started_at, now),
  },
  { id: 'input', label: 'Input', width: 300, cell: ({ inputs }) => preview(inputs) },
  { id: 'output', label: 'Output', width: 300, cell: ({ output }) => preview(output) },
  { id: 'user', label: 'User', width: 110, sort: 'wb_user_id', cell: (call) => call.wb_user_id },
  { id: 'thread', label: 'Thread', width: 150, sort: 'thread_id', cell: (call) => call.thread_id },
  {
    id: 'feedback',
    label: 'Feedback',
    width: 88,
    isNumber: true,
    cell: ({ feedback }) => (feedback > 0 ? formatCount(feedback) : ''),
  },
  { id: 'exception', label: 'Exception', width: 260, cell: (call) => call.exception },
  { id: 'id', label: 'Call id', width: 300, cell: (call) => call.id },
];

const DEFAULTS = ['status', 'latency', 'tokens', 'cost', 'started', 'input', 'output'];

/** The columns of an address, in its order. */
export function columnsOf(text: string | undefined): readonly Column[] {
  const ids = text === undefined ? DEFAULTS : text.split(',');
  return ids.flatMap((id) => COLUMNS.find((column) => column.id === id) ?? []);
}

/** The text for the address; empty for the usual columns. */
export function columnsText(ids: readonly string[]): string {
  return ids.join() === DEFAULTS.join() ? '' : ids.join() || 'none';
}
