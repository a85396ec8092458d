import { engineError, NOT_IMPLEMENTED, SYNTAX_ERROR } from './engine-errors.js';
import { bindParameters } from './parameters.js';
import type { StatementRequest } from './request.js';
import { insertHead, withInsertSettings, withSource, type InsertHead } from './insert-head.js';
import { setClause, settingsClause } from './settings.js';
import { fromFile, mustSpool } from './spooled-rows.js';
import { blankProse } from './sql-text.js';

/** How the engine is to run a request. Settings travel inside the SQL, so a connection keeps none of them. */
export type Statement =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'insert'; readonly sql: string; readonly data: Buffer }
  | {
      readonly kind: 'insert from file';
      readonly sql: (file: string) => string;
      readonly data: Buffer;
    }
  | {
      readonly kind: 'stream';
      readonly sql: string;
      readonly format: string;
      /** As `max_execution_time` says; 0 without a bound. */
      readonly maxSeconds: number;
    }
  | {
      readonly kind: 'plain';
      readonly sql: string;
      readonly format: string;
      /** Changes the connection, which then serves this statement only. */
      readonly prelude?: string;
    };

/** Formats whose result is the sum of its blocks, so that blocks can be sent as they come. */
const STREAMED_FORMATS = new Set([
  'JSONEachRow',
  'JSONCompactEachRow',
  'JSONStringsEachRow',
  'JSONCompactStringsEachRow',
  'TabSeparated',
  'TSV',
  'CSV',
  'RowBinary',
  'LineAsString',
]);
const READS = ['SELECT', 'WITH', '('];
/** These take SETTINGS after their FORMAT. */
const WITH_OUTPUT = [
  ...READS,
  ...['SHOW', 'DESCRIBE', 'DESC', 'EXISTS', 'EXPLAIN', 'CHECK', 'KILL', 'CREATE', 'ALTER', 'DROP'],
  ...['ATTACH', 'DETACH', 'UNDROP', 'TRUNCATE', 'RENAME', 'EXCHANGE', 'OPTIMIZE'],
];
const WITHOUT_OUTPUT = ['DELETE', 'UPDATE'];
const CHANGES_CONNECTION = ['SET', 'USE'];

export function planStatement(request: StatementRequest): Statement {
  const code = blankProse(request.sql);
  if (firstWord(code) === 'INSERT') return planInsert(request, insertHead(request.sql, code));
  const sql = bindParameters(withoutEnd(request.sql, code), request.parameters);
  return planOther(sql, request);
}

function planInsert(request: StatementRequest, head: InsertHead): Statement {
  const { data, settings, parameters, defaultFormat } = request;
  const sql = bindParameters(withInsertSettings(head, settings), parameters);
  if (head.rowsFollow && data !== undefined) {
    if (data.length === 0) return { kind: 'nothing' };
    if (head.readsInput) throw inputNotSupported();
    return mustSpool(head.format, data)
      ? fileInsert(request, head, data)
      : { kind: 'insert', sql, data };
  }
  const rows = data === undefined ? head.inlineRows : `\n${data.toString('utf8')}`;
  return { kind: 'plain', sql: sql + rows, format: defaultFormat };
}

function fileInsert(
  { settings, parameters }: StatementRequest,
  head: InsertHead,
  data: Buffer,
): Statement {
  const sql = (file: string) =>
    bindParameters(withInsertSettings(withSource(head, fromFile(file)), settings), parameters);
  return { kind: 'insert from file', sql, data };
}

function planOther(sql: string, { settings, defaultFormat }: StatementRequest): Statement {
  const code = blankProse(sql);
  const verb = firstWord(code);
  const written = formatIn(code);
  const format = written ?? defaultFormat;
  if (CHANGES_CONNECTION.includes(verb)) {
    return { kind: 'plain', sql, format, prelude: setClause(settings) };
  }
  if (WITHOUT_OUTPUT.includes(verb)) {
    return { kind: 'plain', sql: sql + settingsClause(settings), format };
  }
  if (!WITH_OUTPUT.includes(verb)) {
    return {
      kind: 'plain',
      sql,
      format,
      ...(settings.size > 0 && { prelude: setClause(settings) }),
    };
  }
  const formatClause = written === undefined && settings.size > 0 ? `\nFORMAT ${format}` : '';
  const whole = sql + formatClause + settingsClause(settings);
  if (!READS.includes(verb) || !STREAMED_FORMATS.has(format))
    return { kind: 'plain', sql: whole, format };
  const maxSeconds = Number(settings.get('max_execution_time') ?? 0);
  return { kind: 'stream', sql: whole, format, maxSeconds };
}

function firstWord(code: string): string {
  const [word = ''] = /\(|\w+/.exec(code) ?? [];
  return word.toUpperCase();
}

/** Without the final semicolon; a second statement behind one is refused, as the server does. */
function withoutEnd(sql: string, code: string): string {
  const end = /(?:\s*;)*\s*$/.exec(code)?.index ?? code.length;
  if (code.slice(0, end).includes(';')) {
    throw engineError(SYNTAX_ERROR, 'SYNTAX_ERROR', 'Multi-statements are not allowed.');
  }
  return sql.slice(0, end);
}

function formatIn(code: string): string | undefined {
  return /\bFORMAT\s+(\w+)\s*(?:\bSETTINGS\b[\s\S]*)?$/i.exec(code)?.[1];
}

function inputNotSupported(): Error {
  return engineError(
    NOT_IMPLEMENTED,
    'NOT_IMPLEMENTED',
    'The embedded engine cannot read rows through input(); insert them into a table instead.',
  );
}
