import type { ReactNode } from 'react';
import type { CallPreview } from '../api/types.js';
import { formatCount, formatDuration, formatMoney, formatTime, opLabel } from '../format.js';
import { StatusBadge } from '../ui/parts.js';
import type { Column } from './column-list.js';
import { Snippet } from './snippet.js';

const CELLS: Readonly<Record<string, (call: CallPreview, now: number) => ReactNode>> = {
  name: (call) => call.display_name ?? opLabel(call.op_name),
  status: ({ status }) => <StatusBadge status={status} />,
  latency,
  tokens: ({ tokens }) => (tokens > 0 ? formatCount(tokens) : ''),
  cost: ({ cost }) => (cost === null ? '' : formatMoney(cost)),
  started: ({ started_at }, now) => formatTime(started_at, now),
  input: (call) => payload(call, 'inputs'),
  output: (call) => payload(call, 'output'),
  user: (call) => call.wb_user_id,
  thread: (call) => call.thread_id,
  feedback: ({ feedback }) => (feedback > 0 ? formatCount(feedback) : ''),
  exception: (call) => call.exception,
  id: (call) => call.id,
};

/** What a column shows of a call. `paths` are the paths that the server has read, in their order. */
export function cellOf(
  { id, isPath }: Column,
  call: CallPreview,
  now: number,
  paths: readonly string[],
): ReactNode {
  return isPath ? (call.values[paths.indexOf(id)] ?? '') : CELLS[id]?.(call, now);
}

function payload(call: CallPreview, member: 'inputs' | 'output'): ReactNode {
  const hit = call.hits.find((one) => one.member === member);
  if (hit !== undefined) return <Snippet hit={hit} />;
  const { text, bytes } = call[member];
  return bytes === 0 || text === '{}' || text === 'null' ? '' : text;
}

/** The latency of a running call is its age, which grows. */
function latency({ started_at, latency_ms, status }: CallPreview, now: number): string {
  if (latency_ms !== null) return formatDuration(latency_ms);
  return status === 'running' ? formatDuration(Math.max(0, now - Date.parse(started_at))) : '';
}
