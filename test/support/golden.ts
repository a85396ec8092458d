import { readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

/** The text is what the file holds. `GOLDEN=write` writes it instead, for the reviewer to read in the diff. */
export function expectGolden(file: string, text: string): void {
  const path = new URL(file, root);
  if (process.env['GOLDEN'] === 'write') writeFileSync(path, text);
  expect(text).toBe(readFileSync(path, 'utf8'));
}
