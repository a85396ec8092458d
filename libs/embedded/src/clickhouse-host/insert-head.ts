import { settingsList } from './settings.js';

/** An INSERT up to where its rows begin. */
export interface InsertHead {
  readonly sql: string;
  /** Where settings belong: before VALUES, FORMAT or SELECT. */
  readonly settingsAt: number;
  readonly hasSettings: boolean;
  /** It ends in `FORMAT name`: what follows are rows, and no longer SQL. */
  readonly rowsFollow: boolean;
  /** Of the rows that follow; empty when none do. */
  readonly format: string;
  readonly inlineRows: string;
  readonly readsInput: boolean;
}

const SOURCE = /\b(?:VALUES|FORMAT|SELECT|WITH|FROM\s+INFILE)\b/gi;

/** `code` is the same text with strings and comments blanked out. */
export function insertHead(sql: string, code: string): InsertHead {
  const settingsAt = sourceAt(code);
  const format = /\bFORMAT\s+\w+/gi;
  format.lastIndex = settingsAt;
  const [written = ''] = format.exec(code) ?? [];
  const rowsFollow = written !== '';
  const end = rowsFollow ? format.lastIndex : sql.length;
  return {
    sql: sql.slice(0, end),
    settingsAt,
    hasSettings: /\bSETTINGS\b/i.test(code.slice(0, settingsAt)),
    rowsFollow,
    format: written.replace(/^FORMAT\s+/i, ''),
    inlineRows: sql.slice(end),
    readsInput: /\binput\s*\(/i.test(code.slice(0, end)),
  };
}

/** Outside brackets, since a column may be named `format`. */
function sourceAt(code: string): number {
  for (const match of code.matchAll(SOURCE)) {
    const before = code.slice(0, match.index);
    const opened = before.split('(').length - before.split(')').length;
    if (opened === 0) return match.index;
  }
  return code.length;
}

export function withInsertSettings(
  head: InsertHead,
  settings: ReadonlyMap<string, string>,
): string {
  if (settings.size === 0) return head.sql;
  const joint = head.hasSettings ? ', ' : ' SETTINGS ';
  const [before, after] = [head.sql.slice(0, head.settingsAt), head.sql.slice(head.settingsAt)];
  return `${before.trimEnd()}${joint}${settingsList(settings)} ${after}`;
}

/** The same INSERT with its rows coming from `source`, which stands before settings and format. */
export function withSource(head: InsertHead, source: string): InsertHead {
  const at = head.hasSettings ? head.sql.search(/\bSETTINGS\b/i) : head.settingsAt;
  const sql = `${head.sql.slice(0, at)}${source} ${head.sql.slice(at)}`;
  return { ...head, sql, settingsAt: head.settingsAt + source.length + 1 };
}
