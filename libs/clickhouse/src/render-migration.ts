import { distributedEngine, localEngine } from './sharding.js';
import { onEveryNode, type Topology } from './topology.js';

type Cluster = Extract<Topology, { kind: 'cluster' }>;

/** The statements of a migration file. Files contain SQL for one server; statements for a cluster are derived from it. */
export function renderMigration(file: string, topology: Topology): string[] {
  return file
    .split(END_OF_STATEMENT)
    .map((text) => text.trim())
    .filter((text) => withoutComments(text) !== '')
    .flatMap((text) =>
      topology.kind === 'single' ? [withoutComments(text)] : onCluster(text, topology),
    );
}

/** A semicolon at the end of a line, unless the line is a comment. */
const END_OF_STATEMENT = /(?<=^(?!\s*--).*);[ \t]*$/m;
const CREATE = /^CREATE TABLE IF NOT EXISTS (\w+)/;
const ALTER = /^ALTER TABLE (\w+)/;
const DROP = /^DROP TABLE IF EXISTS (\w+)$/;
const INSERT = /^INSERT INTO /;
const ENGINE = /ENGINE = (\w*MergeTree)(?:\(([^)]*)\))?/;

/** Each table becomes a table named `…_local` on every node and a distributed table with the original name. */
function onCluster(text: string, cluster: Cluster): string[] {
  const statement = withoutComments(text);
  if (ALTER.test(statement)) return alteredOnCluster(statement, cluster);
  // The distributed table routes rows to their shard.
  if (INSERT.test(statement)) return [statement];
  const dropped = DROP.exec(statement)?.[1];
  if (dropped !== undefined) {
    const drop = (name: string) => `DROP TABLE IF EXISTS ${name}${onEveryNode(cluster)} SYNC`;
    return [drop(dropped), drop(`${dropped}_local`)];
  }
  const table = CREATE.exec(statement)?.[1];
  if (table === undefined) {
    throw new Error(
      `A migration for a cluster needs ALTER TABLE, DROP TABLE IF EXISTS, INSERT INTO or CREATE TABLE IF NOT EXISTS: ${statement}`,
    );
  }
  const local = statement
    .replace(CREATE, `CREATE TABLE IF NOT EXISTS ${table}_local${onEveryNode(cluster)}`)
    .replace(
      ENGINE,
      (_, engine: string, args?: string) => `ENGINE = ${localEngine(table, engine, args, cluster)}`,
    );
  const distributed =
    `CREATE TABLE IF NOT EXISTS ${table}${onEveryNode(cluster)} AS ${table}_local\n` +
    `ENGINE = ${distributedEngine(table, `${table}_local`, cluster)}`;
  return [local, distributed];
}

const CODEC_ONLY = /MODIFY COLUMN \w+ CODEC\(.+\)/g;

/** Column changes apply to both tables; changes of codecs, indexes and settings only to the local one. */
function alteredOnCluster(statement: string, cluster: Cluster): string[] {
  const alter = (suffix: string) =>
    statement.replace(
      ALTER,
      (_, table: string) => `ALTER TABLE ${table}${suffix}${onEveryNode(cluster)}`,
    );
  const isColumn = / COLUMN /.test(statement.replace(CODEC_ONLY, ''));
  return isColumn
    ? [alter('_local'), alter('').replace(/ CODEC\([^ ]+\)/g, '')]
    : [alter('_local')];
}

function withoutComments(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('--'))
    .join('\n')
    .trim();
}
