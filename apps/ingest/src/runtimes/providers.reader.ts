import { Injectable } from '@nestjs/common';
import { bind, objectVersions, sql, Store } from '@app/clickhouse';

/** The latest version of an object, and the members of its value that matter here. */
export interface StoredProvider {
  readonly object_id: string;
  readonly name: string;
  /** The digest of its provider, for a model. */
  readonly provider: string;
}

/** Reads the objects that runtimes are stored as. */
@Injectable()
export class ProvidersReader {
  constructor(private readonly store: Store) {}

  /** The objects of a class whose names begin with a text. */
  read(
    projectId: string,
    objectClass: 'Provider' | 'ProviderModel',
    prefix: string,
  ): Promise<StoredProvider[]> {
    const project = sql`project_id = ${bind('String', projectId)}`;
    const latest = sql`SELECT object_id, digest FROM (${objectVersions(projectId)})
  WHERE is_latest AND kind = 'object' AND base = ${bind('String', objectClass)}
    AND startsWith(object_id, ${bind('String', prefix)})`;
    return this.store
      .rows<StoredProvider>(sql`SELECT object_id, JSONExtractString(text, 'name') AS name, JSONExtractString(text, 'provider') AS provider
FROM (SELECT object_id, digest, max(objects.val) AS text FROM objects
  WHERE ${project} AND (object_id, digest) IN (${latest}) GROUP BY object_id, digest)
ORDER BY object_id`);
  }
}
