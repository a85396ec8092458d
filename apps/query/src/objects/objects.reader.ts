import { Injectable } from '@nestjs/common';
import {
  versionsWithoutLatest,
  objectAliases,
  withLatest,
  type VersionWithoutLatestRow,
} from '@app/clickhouse';
import {
  chooseVersion,
  isAlias,
  type ObjectReadRequest,
  type ObjectsQueryRequest,
} from '@app/contracts';
import { ProblemError } from '@app/http';
import { printTimestamp } from '@app/wire';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { objectRecord } from './object-record.js';
import { sortOf, windowOf } from './objects-request.js';
import { namesInUse, objectValues, queryObjects, type ObjectRow } from './objects.sql.js';

interface AliasRow {
  readonly alias: string;
  readonly digest: string;
  readonly seq: number | string;
}

@Injectable()
export class ObjectsReader {
  constructor(private readonly executor: QueryExecutor) {}

  /** The versions as JSON texts. */
  async query(request: ObjectsQueryRequest, context: ReadContext): Promise<string[]> {
    const rows = await this.executor.rows<ObjectRow>(
      queryObjects({
        projectId: request.project_id,
        filter: request.filter ?? {},
        sort: sortOf(request.sort_by),
        ...windowOf(request),
        withVal: !request.metadata_only,
        withNames: Boolean(request.include_tags_and_aliases),
        withDead: false,
      }),
      context,
    );
    const withSize = Boolean(request.include_storage_size);
    return rows.map((row) => objectRecord(request.project_id, row, withSize));
  }

  /** One version as JSON text; a Problem when there is none, or none any more. */
  async read(request: ObjectReadRequest, context: ReadContext): Promise<string> {
    const { project_id, object_id, digest } = request;
    const chosen = await this.choose(request, context);
    if (chosen === undefined) {
      throw new ProblemError(
        'object_not_found',
        `There is no ${object_id}:${digest} in ${project_id}.`,
      );
    }
    if (!chosen.is_live) {
      const deleted_at = printTimestamp(Number(chosen.deleted));
      const reason = `${object_id}:${digest} was deleted at ${deleted_at}.`;
      throw new ProblemError('object_deleted', reason, { deleted_at });
    }
    const val = request.metadata_only ? undefined : await this.valueOf(project_id, chosen, context);
    return objectRecord(project_id, val === undefined ? chosen : { ...chosen, val });
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
  ): Promise<ObjectRow | undefined> {
    const [rows, aliases] = await Promise.all([
      this.versions(project_id, object_id, Boolean(include_tags_and_aliases), context),
      isAlias(digest)
        ? this.executor.rows<AliasRow>(objectAliases(project_id, [object_id]), context)
        : [],
    ]);
    const died = new Map(rows.map((row) => [row.digest, Number(row.last_deleted)]));
    const live = aliases.filter((one) => Number(one.seq) > (died.get(one.digest) ?? 0));
    const versions = rows.map((row) => ({ ...row, ...choosable(row) }));
    return chooseVersion(versions, digest, new Map(live.map((one) => [one.alias, one.digest])));
  }

  /** All versions of a name, dead ones too: whoever asks for one is told when it was deleted. */
  private async versions(
    projectId: string,
    objectId: string,
    withNames: boolean,
    context: ReadContext,
  ): Promise<readonly ObjectRow[]> {
    if (!withNames) {
      const query = versionsWithoutLatest(projectId, [objectId]);
      return withLatest(await this.executor.rows<VersionWithoutLatestRow>(query, context));
    }
    const query = {
      projectId,
      filter: { object_ids: [objectId] },
      sort: [],
      limit: undefined,
      offset: 0,
      withVal: false,
      withNames,
      withDead: true,
    };
    return this.executor.rows<ObjectRow>(queryObjects(query), context);
  }

  private async valueOf(projectId: string, row: ObjectRow, context: ReadContext): Promise<string> {
    const [found] = await this.executor.rows<{ val: string }>(
      objectValues(projectId, [[row.object_id, row.digest]]),
      context,
    );
    return found!.val;
  }
}

function choosable(row: ObjectRow) {
  return {
    versionIndex: row.idx,
    published: Number(row.last_published),
    isLatest: row.is_latest === 1,
  };
}
