import { quoted } from '@app/query-language/text';

/** Groups that have a name of their own. Any path into a payload is a group too. */
export const GROUPS = ['op', 'model', 'user', 'status', 'thread', 'run'];

const FIELDS: Readonly<Record<string, string>> = {
  user: 'user',
  status: 'status',
  thread: 'thread',
  run: 'wb_run_id',
};
const PATH = /^(inputs|output|attributes|summary)\../;

export const isGroup = (by: string): boolean => GROUPS.includes(by) || PATH.test(by);

/** The filter of a list for the calls of a group; undefined when the list has none for it. */
export function groupFilter(by: string, value: string): string | undefined {
  if (value === '') return undefined;
  // A group of ops has the calls of all versions.
  if (by === 'op') return `op ~ ${quoted(value)}`;
  const field = FIELDS[by] ?? (PATH.test(by) ? by : undefined);
  return field === undefined ? undefined : `${field} = ${quoted(value)}`;
}
