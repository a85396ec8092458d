import { readFileSync, writeFileSync } from 'node:fs';
import type { Sql } from '@app/clickhouse';

const root = new URL('../../', import.meta.url);

/** Expects that the file has this text. With `GOLDEN=write` it writes the file first, and the diff shows the change. */
export function expectGolden(file: string, text: string): void {
  const path = new URL(file, root);
  if (process.env['GOLDEN'] === 'write') writeFileSync(path, text);
  expect(text).toBe(readFileSync(path, 'utf8'));
}

/** The text of all statements, each under its name and with its parameters. */
export function printedSql(queries: Readonly<Record<string, Sql>>): string {
  const printed = Object.entries(queries).map(([name, statement]) => {
    const { query, query_params } = statement.render();
    const values = Object.entries(query_params).map(
      ([param, value]) => `-- ${param} = ${JSON.stringify(value)}\n`,
    );
    return `-- ${name}\n${query};\n${values.join('')}`;
  });
  return printed.join('\n');
}
