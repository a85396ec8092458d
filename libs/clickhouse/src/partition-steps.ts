/**
 * Statements of a migration that read or rewrite all rows of a table run partition by partition, so that an interrupted
 * migration continues with the next partition. All other statements run once.
 */

/** Copies rows: `INSERT INTO … SELECT … FROM (SELECT * FROM calls FINAL WHERE …)`. */
const COPY = /^INSERT INTO [^]* FROM (\w+) FINAL WHERE /;
const COPY_SOURCE = /( FROM \w+ FINAL WHERE )/;
/** Rewrites files of parts: `ALTER TABLE calls MATERIALIZE INDEX by_id`. */
const REWRITE = /^ALTER TABLE (\w+)[^]*(?:MATERIALIZE|CLEAR) (?:INDEX|COLUMN) /;
const REWRITE_ACTION = /(?:MATERIALIZE|CLEAR) (?:INDEX|COLUMN) \w+/g;

/** The table whose partitions the statement covers; undefined when the statement runs once. */
export function tableOfPartitions(statement: string): string | undefined {
  return COPY.exec(statement)?.[1] ?? REWRITE.exec(statement)?.[1];
}

/** The statement for one partition of that table. */
export function forPartition(statement: string, partitionId: string): string {
  const id = `'${partitionId.replaceAll(/\W/g, '')}'`;
  return COPY.test(statement)
    ? statement.replace(COPY_SOURCE, `$1_partition_id = ${id} AND `)
    : statement.replace(REWRITE_ACTION, `$& IN PARTITION ID ${id}`);
}

/** The table that an ALTER statement changes, without its suffix for the nodes of a cluster. */
export function alteredTable(statement: string): string | undefined {
  return /^ALTER TABLE (\w+)/.exec(statement)?.[1];
}
