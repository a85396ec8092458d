/** Where something begins that is not code, as ClickHouse's lexer sees it. */
const OPENERS = /['"`‘“]|\$\w*\$|--|\/\/|#[ !]|\/\*/g;

/**
 * The same text with the inside of strings, quoted names and comments blanked out, position for position:
 * what is found in it is code, and can be cut out of the original at the same place.
 */
export function blankProse(sql: string): string {
  const openers = new RegExp(OPENERS);
  let blanked = '';
  let from = 0;
  for (let match = openers.exec(sql); match; match = openers.exec(sql)) {
    const end = endOfProse(sql, match.index, match[0]);
    blanked += sql.slice(from, match.index) + blank(sql.slice(match.index, end));
    from = openers.lastIndex = end;
  }
  return blanked + sql.slice(from);
}

/** Quotes stay, so that `IN'a'` does not become a longer word. */
function blank(prose: string): string {
  const isQuoted = prose.length > 1 && /^['"`‘“$]/.test(prose);
  if (!isQuoted) return ' '.repeat(prose.length);
  return prose.slice(0, 1) + ' '.repeat(prose.length - 2) + prose.slice(-1);
}

function endOfProse(sql: string, start: number, opener: string): number {
  switch (opener) {
    case "'":
    case '"':
    case '`':
      return endOfQuoted(sql, start, opener);
    case '‘':
      return endAfter(sql, '’', start + 1);
    case '“':
      return endAfter(sql, '”', start + 1);
    case '/*':
      return endOfComment(sql, start);
  }
  if (opener.startsWith('$')) return endAfter(sql, opener, start + opener.length);
  return endAfter(sql, '\n', start);
}

/** A doubled quote needs no care: it reads as the end of one string and the start of the next. */
function endOfQuoted(sql: string, start: number, quote: string): number {
  for (let at = start + 1; at < sql.length; at++) {
    if (sql[at] === '\\') at++;
    else if (sql[at] === quote) return at + 1;
  }
  return sql.length;
}

function endAfter(sql: string, closer: string, from: number): number {
  const at = sql.indexOf(closer, from);
  return at === -1 ? sql.length : at + closer.length;
}

/** ClickHouse nests its block comments. */
function endOfComment(sql: string, start: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = start;
  let depth = 0;
  for (let match = mark.exec(sql); match; match = mark.exec(sql)) {
    depth += match[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return sql.length;
}

/** As a SQL string; nothing in the value can end it. */
export function stringLiteral(value: string): string {
  return `'${value.replace(/[\\']/g, '\\$&').replaceAll('\0', '\\0')}'`;
}

export function identifier(name: string): string {
  return `\`${name.replace(/[\\`]/g, '\\$&').replaceAll('\0', '\\0')}\``;
}
