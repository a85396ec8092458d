import { Injectable } from '@nestjs/common';
import {
  QueryTooLargeError,
  versionsWithoutLatest,
  objectAliases,
  withLatest,
  type Sql,
  type VersionWithoutLatestRow,
  type VersionRow,
} from '@app/clickhouse';
import { chooseVersion, isAlias } from '@app/contracts';
import { objectValues } from '../objects/objects.sql.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { rowValues } from '../tables/tables.sql.js';
import { groupBy } from './group-by.js';
import { tooManyBytes, ValueMemory } from './value-memory.js';

export interface RequestedObject {
  readonly kind: 'object' | 'op';
  readonly name: string;
  /** A digest, `latest`, `v<N>` or an alias. */
  readonly digest: string;
}

/** Undefined when the value never existed. */
export type FoundValue = Buffer | 'deleted' | undefined;

interface AliasRow {
  readonly object_id: string;
  readonly alias: string;
  readonly digest: string;
  readonly seq: number | string;
}

/** Reads the values of many refs together: a fixed number of statements per project. */
@Injectable()
export class RefsReader {
  constructor(
    private readonly executor: QueryExecutor,
    private readonly memory: ValueMemory,
  ) {}

  /** One value per requested object, in order. */
  async objects(
    projectId: string,
    requested: readonly RequestedObject[],
    context: ReadContext,
  ): Promise<FoundValue[]> {
    const names = [...new Set(requested.map(({ name }) => name))];
    const byAlias = requested.filter(({ digest }) => isAlias(digest)).map(({ name }) => name);
    const [versions, aliases] = await Promise.all([
      this.executor.rows<VersionWithoutLatestRow>(versionsWithoutLatest(projectId, names), context),
      byAlias.length === 0
        ? []
        : this.executor.rows<AliasRow>(objectAliases(projectId, byAlias), context),
    ]);
    const chosen = chooser(withLatest(versions), aliases);
    const found = requested.map(chosen);
    const live = found.filter((row) => row?.is_live);
    const values = await this.values(projectId, live as VersionRow[], context);
    return found.map((row) => row && (row.is_live ? values.get(keyOf(row)) : 'deleted'));
  }

  /** The rows that exist, by digest. */
  async rows(
    projectId: string,
    digests: readonly string[],
    context: ReadContext,
  ): Promise<Map<string, Buffer>> {
    const query = rowValues(projectId, [...new Set(digests)]);
    return this.read(query, ['digest'], context);
  }

  private async values(
    projectId: string,
    versions: readonly VersionRow[],
    context: ReadContext,
  ): Promise<Map<string, Buffer>> {
    if (versions.length === 0) return new Map();
    const keys = versions.map(({ object_id, digest }) => [object_id, digest] as const);
    return this.read(objectValues(projectId, keys), ['object_id', 'digest'], context);
  }

  /** The column `val` by the key of its row. Stops reading when the values need more memory than the request may use. */
  private async read(
    query: Sql,
    key: readonly string[],
    context: ReadContext,
  ): Promise<Map<string, Buffer>> {
    const values = new Map<string, Buffer>();
    const memory = this.memory.of(context);
    const rows = this.executor.texts(query, [...key, 'val'], context, memory);
    try {
      for await (const row of rows) values.set(row.slice(0, -1).join(':'), row.at(-1)!);
    } catch (error) {
      throw error instanceof QueryTooLargeError ? tooManyBytes(memory.maxBytes) : error;
    }
    return values;
  }
}

const keyOf = ({ object_id, digest }: { object_id: string; digest: string }) =>
  `${object_id}:${digest}`;

function chooser(
  rows: readonly VersionRow[],
  aliases: readonly AliasRow[],
): (requested: RequestedObject) => VersionRow | undefined {
  const versions = groupBy(rows, (row) => row.object_id);
  const aliasesOf = groupBy(aliases, (row) => row.object_id);
  return ({ kind, name, digest }) => {
    const all = (versions.get(name) ?? []).map((row) => ({ ...row, ...candidateOf(row) }));
    const ofKind = all.filter((one) => one.kind === kind);
    const deletions = new Map(all.map((one) => [one.digest, Number(one.last_deleted)]));
    const current = (aliasesOf.get(name) ?? []).filter(
      (one) => Number(one.seq) > (deletions.get(one.digest) ?? 0),
    );
    const byAlias = new Map(current.map((one) => [one.alias, one.digest]));
    return chooseVersion(ofKind, digest, byAlias) ?? chooseVersion(all, digest, byAlias);
  };
}

function candidateOf(row: VersionRow) {
  return {
    versionIndex: row.idx,
    published: Number(row.last_published),
    isLatest: row.is_latest === 1,
  };
}
