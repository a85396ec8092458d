import { Injectable } from '@nestjs/common';
import { bind, sql, Store } from '@app/clickhouse';
import type { Ref } from '@app/contracts';

interface SpecRow {
  readonly leaf: string;
  readonly val: string;
}

const REMEMBERED = 200;

/** Annotation specs by their digest: a version never changes, so it is read once. */
@Injectable()
export class AnnotationSpecsReader {
  private readonly known = new Map<string, unknown>();

  constructor(private readonly store: Store) {}

  /** The spec's value, or undefined when the ref names no annotation spec. */
  async read(ref: Extract<Ref, { kind: 'object' | 'op' }>): Promise<unknown> {
    const key = JSON.stringify([ref.projectId, ref.name, ref.digest]);
    if (this.known.has(key)) return this.known.get(key);
    const spec = await this.find(ref);
    if (spec === undefined) return undefined;
    if (this.known.size >= REMEMBERED) this.known.delete(this.known.keys().next().value!);
    this.known.set(key, spec);
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
