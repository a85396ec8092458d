import { ALIASES, isBare, nameOf, OP, pathOf, quoted } from '@app/query-language/text';
import type { Facets } from '../api/types.js';
import { opLabel } from '../format.js';
import { NO_PATHS, type PathValues } from './paths.js';

export interface Suggestion {
  readonly insert: string;
  readonly hint: string;
  /** Where the text that it replaces begins. */
  readonly from: number;
}

const HINTS: Readonly<Record<string, string>> = {
  status: 'success, error, descendant_error, running',
  latency: 'for example > 2s',
  op: 'its name, or the ref of one version',
  name: 'the name that the list shows',
  cost: 'US dollars',
  tokens: 'of all models together',
  user: 'who sent the call',
  thread: 'the conversation',
  trace: 'the id of the trace',
  started: 'for example >= "2026-03-01"',
  ended: '= null while it runs',
};
const PATHS: readonly (readonly [string, string])[] = [
  ['inputs.', 'a path into the inputs'],
  ['output.', 'a path into the output'],
  ['attributes.', 'a path into the attributes'],
  ['summary.usage.', 'usage by model'],
];
const STATUSES = ['success', 'error', 'descendant_error', 'running'];
const OFFERED_MAX = 8;

/** What may stand at the cursor: a field, a comparison, a value that occurs, or `and`. */
export function suggestions(
  text: string,
  caret: number,
  facets: Facets | undefined,
  paths: PathValues = NO_PATHS,
): Suggestion[] {
  const before = text.slice(0, caret);
  const word = /[\w.\-\\]*$/.exec(before)![0];
  const from = caret - word.length;
  const lead = before.slice(0, from);
  return candidates(lead, facets, paths)
    .filter(([insert, , typed = insert]) => {
      return typed.toLowerCase().startsWith(word.toLowerCase()) && insert !== word;
    })
    .slice(0, OFFERED_MAX)
    .map(([insert, hint]) => ({ insert, hint, from }));
}

/** `typed` is how a user begins it: a value in quotes without them. */
type Candidate = readonly [insert: string, hint: string, typed?: string];

function candidates(
  lead: string,
  facets: Facets | undefined,
  paths: PathValues,
): readonly Candidate[] {
  const compared = /([A-Za-z_][\w.\-\\]*)\s*(?:=|!=|in\s*\((?:[^)]*,)?)\s*$/.exec(lead)?.[1];
  if (compared !== undefined) return valuesOf(pathOf(compared), facets, paths);
  if (/(^|\(|\band|\bor|\bnot)\s*$/i.test(lead)) return fields(paths);
  if (/(?:[=><~,]|"[^"]*)\s*$/.test(lead)) return [];
  if (/(?:^|\(|and|or|not)\s*[A-Za-z_][\w.\-\\]*\s+$/i.test(lead)) {
    return ['=', '!=', '>', '<', '~', 'in ('].map((sign) => [sign, '']);
  }
  return lead.endsWith(' ')
    ? [
        ['and', ''],
        ['or', ''],
      ]
    : [];
}

const fields = (paths: PathValues): readonly Candidate[] => [
  ...Object.keys(ALIASES).map((name): Candidate => [name, HINTS[name] ?? '']),
  ...PATHS,
  ...[...paths.keys()].map((path): Candidate => [path, 'in the calls below']),
];

function valuesOf(
  path: string,
  facets: Facets | undefined,
  paths: PathValues,
): readonly Candidate[] {
  const seen = [...(paths.get(path) ?? [])].map(([value, count]) => ({ value, count }));
  const counted = facets?.facets.find((facet) => facet.field === path)?.values ?? seen;
  const values = (path === OP ? byOpName(counted) : counted).map(({ value, count }): Candidate => [
    isBare(value) ? value : quoted(value),
    String(count),
    value,
  ]);
  const isStatus = nameOf(path) === 'status';
  return isStatus && values.length === 0 ? STATUSES.map((status) => [status, '']) : values;
}

interface Counted {
  readonly value: string;
  readonly count: number;
}

/** The versions of an op together: a user knows its name, not its digest. */
function byOpName(refs: readonly Counted[]): readonly Counted[] {
  const counts = new Map<string, number>();
  for (const { value, count } of refs) {
    const name = opLabel(value);
    counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return [...counts].map(([value, count]) => ({ value, count }));
}
