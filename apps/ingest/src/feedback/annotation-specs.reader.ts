import { Injectable } from '@nestjs/common';
import { bind, sql, Store } from '@app/clickhouse';
import type { Ref } from '@app/contracts';

interface SpecRow {
  readonly leaf: string;
  readonly val: string;
}

const CACHED_SPECS = 200;

/** Reads annotation specs. A version never changes, so the reader caches it. */
@Injectable()
export class AnnotationSpecsReader {
  private readonly cached = new Map<string, unknown>();

  constructor(private readonly store: Store) {}

  /** Resolves to the value of the spec, or to undefined when the ref is not of an annotation spec. */
  async read(ref: Extract<Ref, { kind: 'object' | 'op' }>): Promise<unknown> {
    const key = JSON.stringify([ref.projectId, ref.name, ref.digest]);
    if (this.cached.has(key)) return this.cached.get(key);
    const spec = await this.find(ref);
    if (spec === undefined) return undefined;
    if (this.cached.size >= CACHED_SPECS) this.cached.delete(this.cached.keys().next().value!);
    this.cached.set(key, spec);
    return spec;
  }

  private async find(ref: Extract<Ref, { kind: 'object' | 'op' }>): Promise<unknown> {
    const [row] = await this.store
      .rows<SpecRow>(sql`SELECT max(leaf_object_class) AS leaf, max(objects.val) AS val
FROM objects WHERE project_id = ${bind('String', ref.projectId)} AND object_id = ${bind('String', ref.name)}
  AND kind = 'object' AND digest = ${bind('String', ref.digest)}
GROUP BY digest HAVING max(published) > max(objects.deleted).1`);
    return row?.leaf === 'AnnotationSpec' ? (JSON.parse(row.val) as unknown) : undefined;
  }
}
