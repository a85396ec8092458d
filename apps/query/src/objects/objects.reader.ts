import { Inject, Injectable } from '@nestjs/common';
import { objectAliases, Store, type Sql } from '@app/clickhouse';
import type { QueryConfig } from '@app/config';
import { chooseVersion, type ObjectReadRequest, type ObjectsQueryRequest } from '@app/contracts';
import { Problem } from '@app/http';
import { printInstant } from '@app/wire';
import { QUERY_CONFIG } from '../tokens.js';
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
  constructor(
    private readonly store: Store,
    @Inject(QUERY_CONFIG) private readonly config: QueryConfig,
  ) {}

  /** The versions as JSON texts. */
  async query(request: ObjectsQueryRequest): Promise<string[]> {
    const rows = await this.ask<ObjectRow>(
      queryObjects({
        projectId: request.project_id,
        filter: request.filter ?? {},
        sort: sortOf(request.sort_by),
        ...windowOf(request),
        withVal: !request.metadata_only,
        withNames: Boolean(request.include_tags_and_aliases),
        withDead: false,
      }),
    );
    const withSize = Boolean(request.include_storage_size);
    return rows.map((row) => objectRecord(request.project_id, row, withSize));
  }

  /** One version as JSON text; a Problem when there is none, or none any more. */
  async read(request: ObjectReadRequest): Promise<string> {
    const { project_id, object_id, digest } = request;
    const chosen = await this.choose(request);
    if (chosen === undefined) {
      throw new Problem('object_not_found', `There is no ${object_id}:${digest} in ${project_id}.`);
    }
    if (!chosen.is_live) {
      const deleted_at = printInstant(Number(chosen.deleted));
      const reason = `${object_id}:${digest} was deleted at ${deleted_at}.`;
      throw new Problem('object_deleted', reason, { deleted_at });
    }
    const val = request.metadata_only ? undefined : await this.valueOf(project_id, chosen);
    return objectRecord(project_id, val === undefined ? chosen : { ...chosen, val });
  }

  /** Tags or aliases in use in the project. */
  async names(projectId: string, what: 'tags' | 'aliases'): Promise<string[]> {
    const rows = await this.ask<{ name: string }>(namesInUse(projectId, what));
    return rows.map(({ name }) => name);
  }

  private async choose(request: ObjectReadRequest): Promise<ObjectRow | undefined> {
    const { project_id: projectId, object_id, digest } = request;
    const question = {
      projectId,
      filter: { object_ids: [object_id] },
      sort: [],
      limit: undefined,
      offset: 0,
      withVal: false,
      withNames: Boolean(request.include_tags_and_aliases),
      withDead: true,
    };
    const [rows, aliases] = await Promise.all([
      this.ask<ObjectRow>(queryObjects(question)),
      this.ask<AliasRow>(objectAliases(projectId, [object_id])),
    ]);
    const died = new Map(rows.map((row) => [row.digest, Number(row.last_deleted)]));
    const live = aliases.filter((one) => Number(one.seq) > (died.get(one.digest) ?? 0));
    const versions = rows.map((row) => ({ ...row, ...choosable(row) }));
    return chooseVersion(versions, digest, new Map(live.map((one) => [one.alias, one.digest])));
  }

  private async valueOf(projectId: string, row: ObjectRow): Promise<string> {
    const [found] = await this.ask<{ val: string }>(
      objectValues(projectId, [[row.object_id, row.digest]]),
    );
    return found!.val;
  }

  private ask<Row>(question: Sql): Promise<Row[]> {
    return this.store.rows<Row>(question, { max_execution_time: this.config.maxSeconds });
  }
}

function choosable(row: ObjectRow) {
  return {
    versionIndex: row.idx,
    published: Number(row.last_published),
    isLatest: row.is_latest === 1,
  };
}
