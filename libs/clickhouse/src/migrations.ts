import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '@app/config';

/** One numbered file of `libs/clickhouse/migrations`. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the file. An applied file is never edited; a change is a new file. */
  readonly checksum: string;
}

export function readMigrations(
  directory = join(packageRoot(), 'libs/clickhouse/migrations'),
): Migration[] {
  return readdirSync(directory)
    .filter((file) => /^\d{4}_\w+\.sql$/.test(file))
    .sort()
    .map((file) => migration(file, readFileSync(join(directory, file), 'utf8')));
}

/** Statements that an operator may choose to apply. They can be repeated. */
export function readOptionalMigration(name: 'text_index'): string {
  return readFileSync(
    join(packageRoot(), `libs/clickhouse/migrations/optional/${name}.sql`),
    'utf8',
  );
}

function migration(file: string, text: string): Migration {
  return {
    number: Number(file.slice(0, 4)),
    name: file.slice(5, -4),
    text,
    checksum: createHash('sha256').update(text).digest('hex'),
  };
}
