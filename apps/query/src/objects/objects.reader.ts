import { Inject, Injectable } from '@nestjs/common';
import {
  QueryTooLargeError,
  versionsWithoutLatest,
  objectAliases,
  withLatest,
  type VersionWithoutLatestRow,
} from '@app/clickhouse';
import type { QueryConfig } from '@app/config';
import {
  chooseVersion,
  isAlias,
  type ObjectReadRequest,
  type Direction,
  type ObjectsQueryRequest,
  type SortField,
} from '@app/contracts';
import { InvalidBodyError, ProblemError } from '@app/http';
import { micros, printTimestamp } from '@app/wire';
import { directionOf, pageOf } from '../paging.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { QUERY_CONFIG } from '../tokens.js';
import {
  namesInUse,
  needsNames,
  objectValues,
  queryObjects,
  versionsUpTo,
  type ObjectRow,
  type ObjectsQuery,
} from './objects.sql.js';
import { pageOfVersions } from './page-of-versions.js';

const FEW_VERSIONS = 1000;
/** Parsing and sorting more than this takes as long as the choice in ClickHouse. */
const CHOSEN_HERE_MAX = 500;
/** A table of thirty parts may have to read this number of rows for few versions. */
const CHOSEN_HERE_ROWS = 32_768;
const FEW_BYTES = 4 * 1024 ** 2;

interface ObjectValueRow {
  readonly object_id: string;
  readonly digest: string;
  readonly val: string;
}

const keyOf = ({ object_id, digest }: { readonly object_id: string; readonly digest: string }) =>
  `${digest} ${object_id}`;

interface AliasRow {
  readonly alias: string;
  readonly digest: string;
  readonly seq: number | string;
}

@Injectable()
export class ObjectsReader {
  private readonly maxRows: number;

  constructor(
    private readonly executor: QueryExecutor,
    @Inject(QUERY_CONFIG) { maxRows }: Pick<QueryConfig, 'maxRows'>,
  ) {
    this.maxRows = Math.min(maxRows || CHOSEN_HERE_ROWS, CHOSEN_HERE_ROWS);
  }

  /** The versions as JSON texts, streamed: their values may be large. */
  async *query(request: ObjectsQueryRequest, context: ReadContext): AsyncGenerator<string> {
    const withSize = Boolean(request.include_storage_size);
    for await (const rows of this.rows(request, context))
      yield* rows.map((row) => objectRecord(request.project_id, row, withSize));
  }

  /**
   * Values are read by key when they are few. In one statement ClickHouse finds the versions twice, to list them and to
   * choose values, and cannot do it in another way without reading the values of all versions.
   */
  async *rows(
    request: ObjectsQueryRequest,
    context: ReadContext,
  ): AsyncGenerator<readonly ObjectRow[], void> {
    const query = {
      projectId: request.project_id,
      filter: request.filter ?? {},
      sort: sortOf(request.sort_by),
      ...pageOf(request),
      withVal: !request.metadata_only,
      withNames: Boolean(request.include_tags_and_aliases),
      withDeleted: false,
    };
    const page = await this.pageOfFew(query, context);
    const few = query.withVal ? await this.fewRows(query, page, context) : page;
    if (few === undefined) yield* this.executor.stream<ObjectRow>(queryObjects(query), context);
    else if (few.length > 0) yield few;
  }

  /**
   * The page without values, chosen here instead of in ClickHouse, which needs as long to plan the choice as to read all versions
   * of a small project. Undefined when there are many versions.
   */
  private async pageOfFew(
    query: ObjectsQuery,
    context: ReadContext,
  ): Promise<readonly ObjectRow[] | undefined> {
    if (needsNames(query)) return undefined;
    try {
      const versions = versionsUpTo(CHOSEN_HERE_MAX + 1, this.maxRows, query);
      const rows = await this.executor.rows<VersionWithoutLatestRow>(versions, context);
      return rows.length > CHOSEN_HERE_MAX ? undefined : pageOfVersions(withLatest(rows), query);
    } catch (error) {
      if (error instanceof QueryTooLargeError) return undefined;
      throw error;
    }
  }

  /** Undefined when there are many versions, or when they have large values. */
  private async fewRows(
    query: ObjectsQuery,
    page: readonly ObjectRow[] | undefined,
    context: ReadContext,
  ): Promise<readonly ObjectRow[] | undefined> {
    const limit = Math.min(query.limit ?? Infinity, FEW_VERSIONS + 1);
    const first = queryObjects({ ...query, limit, withVal: false });
    const rows = page ?? (await this.executor.rows<ObjectRow>(first, context));
    const bytes = rows.reduce((sum, { size }) => sum + Number(size), 0);
    if (rows.length > FEW_VERSIONS || bytes > FEW_BYTES) return undefined;
    if (rows.length === 0) return rows;
    const values = await this.valuesOf(query.projectId, rows, context);
    // A version that was erased in the meantime has no value.
    return rows.flatMap((row) => {
      const val = values.get(keyOf(row));
      return val === undefined ? [] : [{ ...row, val }];
    });
  }

  /** One version as JSON text; throws ProblemError when it never existed or was deleted. */
  async read(request: ObjectReadRequest, context: ReadContext): Promise<string> {
    return objectRecord(request.project_id, await this.find(request, context));
  }

  /** The same as a row. Versions that are not accepted are treated as if they did not exist. */
  async find(
    request: ObjectReadRequest,
    context: ReadContext,
    accepts: (version: ObjectRow) => boolean = () => true,
  ): Promise<ObjectRow> {
    const { project_id, object_id, digest } = request;
    const chosen = await this.choose(request, context, accepts);
    if (chosen === undefined) {
      throw new ProblemError(
        'object_not_found',
        `There is no ${object_id}:${digest} in ${project_id}.`,
      );
    }
    if (!chosen.is_live) {
      const deleted_at = printTimestamp(micros(Number(chosen.deleted)));
      const reason = `${object_id}:${digest} was deleted at ${deleted_at}.`;
      throw new ProblemError('object_deleted', reason, { deleted_at });
    }
    if (request.metadata_only) return chosen;
    const values = await this.valuesOf(project_id, [chosen], context);
    return { ...chosen, val: values.get(keyOf(chosen))! };
  }

  /** Tags or aliases in use in the project. */
  async names(
    projectId: string,
    what: 'tags' | 'aliases',
    context: ReadContext,
  ): Promise<string[]> {
    const rows = await this.executor.rows<{ name: string }>(namesInUse(projectId, what), context);
    return rows.map(({ name }) => name);
  }

  private async choose(
    { project_id, object_id, digest, include_tags_and_aliases }: ObjectReadRequest,
    context: ReadContext,
    accepts: (version: ObjectRow) => boolean,
  ): Promise<ObjectRow | undefined> {
    const [all, aliases] = await Promise.all([
      this.versions(project_id, object_id, Boolean(include_tags_and_aliases), context),
      isAlias(digest)
        ? this.executor.rows<AliasRow>(objectAliases(project_id, [object_id]), context)
        : [],
    ]);
    const rows = all.filter(accepts);
    const deletions = new Map(rows.map((row) => [row.digest, Number(row.last_deleted)]));
    const live = aliases.filter((one) => Number(one.seq) > (deletions.get(one.digest) ?? 0));
    const versions = rows.map((row) => ({ ...row, ...candidateOf(row) }));
    return chooseVersion(versions, digest, new Map(live.map((one) => [one.alias, one.digest])));
  }

  /** All versions of a name, deleted ones included: the error for a deleted version has the time of its deletion. */
  private async versions(
    projectId: string,
    objectId: string,
    withNames: boolean,
    context: ReadContext,
  ): Promise<readonly ObjectRow[]> {
    if (!withNames) {
      const versions = versionsWithoutLatest(projectId, [objectId]);
      return withLatest(await this.executor.rows<VersionWithoutLatestRow>(versions, context));
    }
    const query = {
      projectId,
      filter: { object_ids: [objectId] },
      sort: [],
      limit: undefined,
      offset: 0,
      withVal: false,
      withNames,
      withDeleted: true,
    };
    return this.executor.rows<ObjectRow>(queryObjects(query), context);
  }

  private async valuesOf(
    projectId: string,
    rows: readonly ObjectRow[],
    context: ReadContext,
  ): Promise<ReadonlyMap<string, string>> {
    const keys = rows.map(({ object_id, digest }) => [object_id, digest] as const);
    const found = await this.executor.rows<ObjectValueRow>(objectValues(projectId, keys), context);
    return new Map(found.map((row) => [keyOf(row), row.val]));
  }
}

function candidateOf(row: ObjectRow) {
  return {
    versionIndex: row.idx,
    published: Number(row.last_published),
    isLatest: row.is_latest === 1,
  };
}

function sortOf(
  sort: readonly SortField[] | null | undefined,
): ['object_id' | 'created_at', Direction][] {
  return (sort ?? []).map((key, index) => {
    const { field } = key;
    if (field === 'object_id' || field === 'created_at') return [field, directionOf(key, index)];
    const msg = `must be object_id or created_at, not ${JSON.stringify(field.slice(0, 60))}`;
    throw new InvalidBodyError([{ loc: ['body', 'sort_by', index, 'field'], msg, type: 'enum' }]);
  });
}

/** The wire's object version as JSON text. The value is inserted as the client published it. */
function objectRecord(projectId: string, row: ObjectRow, withSize = false): string {
  const deleted = micros(Number(row.deleted));
  const plain = {
    project_id: projectId,
    object_id: row.object_id,
    created_at: printTimestamp(micros(Number(row.created))),
    deleted_at: row.is_live || deleted === 0 ? null : printTimestamp(deleted),
    digest: row.digest,
    version_index: row.idx,
    is_latest: row.is_latest,
    kind: row.kind,
    base_object_class: row.base || null,
    leaf_object_class: row.leaf || null,
    wb_user_id: row.creator || null,
    size_bytes: withSize ? Number(row.size) : null,
    tags: row.tags ?? null,
    aliases: row.aliases ?? null,
  };
  return `${JSON.stringify(plain).slice(0, -1)},"val":${row.val ?? '{}'}}`;
}
