/** The deployment of the tables: one server or a named cluster. */
export type Topology =
  { readonly kind: 'single' } | { readonly kind: 'cluster'; readonly name: string };

export function topologyOf(cluster: string): Topology {
  return cluster === '' ? { kind: 'single' } : { kind: 'cluster', name: cluster };
}

/** The statements of a migration file. Files contain SQL for one server; statements for a cluster are derived from it. */
export function renderMigration(file: string, topology: Topology): string[] {
  return file
    .split(END_OF_STATEMENT)
    .map((text) => text.trim())
    .filter((text) => withoutComments(text) !== '')
    .flatMap((text) =>
      topology.kind === 'single' ? [withoutComments(text)] : onCluster(text, topology.name),
    );
}

/** A semicolon at the end of a line, unless the line is a comment. */
const END_OF_STATEMENT = /(?<=^(?!\s*--).*);[ \t]*$/m;
const CREATE = /^CREATE TABLE IF NOT EXISTS (\w+)/;
const ALTER = /^ALTER TABLE (\w+)/;
const DROP = /^DROP TABLE IF EXISTS (\w+)$/;
const INSERT = /^INSERT INTO /;
const ENGINE = /ENGINE = (\w*MergeTree)(?:\(([^)]*)\))?/;

/** Each table becomes a replicated table named `…_local` and a distributed table with the original name. */
function onCluster(text: string, cluster: string): string[] {
  const shard = /-- @shard (.+)/.exec(text)?.[1];
  const statement = withoutComments(text);
  if (ALTER.test(statement)) return alteredOnCluster(statement, cluster);
  // The distributed table routes rows to their shard.
  if (INSERT.test(statement)) return [statement];
  const dropped = DROP.exec(statement)?.[1];
  if (dropped !== undefined) {
    const drop = (name: string) => `DROP TABLE IF EXISTS ${name} ON CLUSTER '${cluster}' SYNC`;
    return [drop(dropped), drop(`${dropped}_local`)];
  }
  const table = CREATE.exec(statement)?.[1];
  if (table === undefined || shard === undefined) {
    throw new Error(
      `A migration for a cluster needs ALTER TABLE, DROP TABLE IF EXISTS, INSERT INTO, or CREATE TABLE with a "-- @shard" line: ${statement}`,
    );
  }
  const local = statement
    .replace(CREATE, `CREATE TABLE IF NOT EXISTS ${table}_local ON CLUSTER '${cluster}'`)
    .replace(ENGINE, (_, engine: string, args: string | undefined) => replicated(engine, args));
  const distributed =
    `CREATE TABLE IF NOT EXISTS ${table} ON CLUSTER '${cluster}' AS ${table}_local\n` +
    `ENGINE = Distributed('${cluster}', currentDatabase(), ${table}_local, ${shard})`;
  return [local, distributed];
}

/** Column changes apply to both tables, index and setting changes only to the local one. */
function alteredOnCluster(statement: string, cluster: string): string[] {
  const alter = (suffix: string) =>
    statement.replace(
      ALTER,
      (_, table: string) => `ALTER TABLE ${table}${suffix} ON CLUSTER '${cluster}'`,
    );
  const isColumn = / COLUMN /.test(statement);
  return isColumn
    ? [alter('_local'), alter('').replace(/ CODEC\([^ ]+\)/g, '')]
    : [alter('_local')];
}

function replicated(engine: string, args: string | undefined): string {
  const replicaPath = ["'/clickhouse/tables/{shard}/{database}/{table}'", "'{replica}'"];
  return `ENGINE = Replicated${engine}(${[...replicaPath, ...(args ? [args] : [])].join(', ')})`;
}

function withoutComments(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('--'))
    .join('\n')
    .trim();
}
