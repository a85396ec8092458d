import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringLiteral } from './sql-text.js';

const LINES = /^(?:JSON\w*|CSV\w*|TSV\w*|TabSeparated\w*|Values)$/i;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * The engine takes rows that follow a statement for text: it skips a line break at their start and stops, without an
 * error, at the first empty line. Such rows, and all binary ones, have to come from a file.
 */
export function mustSpool(format: string, rows: Buffer): boolean {
  const startsWithBreak = rows[0] === LINE_FEED || rows[0] === CARRIAGE_RETURN;
  return !LINES.test(format) || startsWithBreak || rows.includes('\n\n');
}

/** Puts the rows into a file beside the engine's data for as long as `insert` runs. */
export async function withSpooledRows<R>(
  enginePath: string,
  rows: Buffer,
  insert: (file: string) => Promise<R>,
): Promise<R> {
  const directory = join(dirname(enginePath), 'spool');
  const file = join(directory, randomUUID());
  await mkdir(directory, { recursive: true, mode: 0o700 });
  try {
    await writeFile(file, rows, { mode: 0o600 });
    return await insert(file);
  } finally {
    await rm(file, { force: true });
  }
}

export const fromFile = (file: string): string =>
  `FROM INFILE ${stringLiteral(file)} COMPRESSION 'none'`;
