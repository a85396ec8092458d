import { parseError } from '@clickhouse/client';

/** Makes a row of one line of a result. */
export type LineDecoder<Row> = (line: string) => Row;

const ESCAPED: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  '0': '\0',
};

const EMPTY = { text: '', number: 0.5 };

/**
 * Decodes lines of the format TabSeparated, whose columns are texts and numbers in this order. ClickHouse prints long texts
 * in half the time that it needs to print them as JSON. No column may be nullable.
 */
export function tabSeparated<Row>(
  columns: readonly (readonly [name: string, kind: 'text' | 'number'])[],
): LineDecoder<Row> {
  // Copies of it share a shape. V8 stores an object that gets twenty members one by one as a dictionary.
  const shape = JSON.parse(
    JSON.stringify(Object.fromEntries(columns.map(([name, kind]) => [name, EMPTY[kind]]))),
  ) as Record<string, string | number>;
  return (line) => {
    const values = line.split('\t');
    // A server before 25.11 prints an error as a line.
    if (values.length !== columns.length) throw parseError(new Error(line));
    const row = { ...shape };
    for (let i = 0; i < columns.length; i++) {
      const [name, kind] = columns[i]!;
      row[name] = kind === 'text' ? unescaped(values[i]!) : Number(values[i]);
    }
    return row as Row;
  };
}

/** A loop, because a replacement with a callback takes five times as long. */
function unescaped(text: string): string {
  let at = text.indexOf('\\');
  if (at === -1) return text;
  let [plain, from] = ['', 0];
  for (; at !== -1; at = text.indexOf('\\', from)) {
    const char = text[at + 1]!;
    plain += text.slice(from, at) + (ESCAPED[char] ?? char);
    from = at + 2;
  }
  return plain + text.slice(from);
}
