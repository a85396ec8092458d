import { Injectable } from '@nestjs/common';
import {
  versionsWithoutLatest,
  objectAliases,
  Store,
  withLatest,
  type VersionWithoutLatestRow,
  type VersionRow,
} from '@app/clickhouse';
import type { SelectableVersion } from '@app/contracts';
import type { ObjectKind } from '@app/events';
import type { VersionsSeed } from '@app/queue';
import { Gathered } from './gathered.js';

export interface Version extends SelectableVersion {
  readonly kind: ObjectKind;
  readonly isLive: boolean;
  readonly baseClass: string;
  readonly leafClass: string;
}

/** What is known of one name. */
export interface Versions {
  readonly versions: readonly Version[];
  readonly aliases: ReadonlyMap<string, string>;
}

interface Name {
  readonly projectId: string;
  readonly objectId: string;
}

const keyOf = ({ projectId, objectId }: Name) => `${projectId}/${objectId}`;

interface AliasRow {
  readonly alias: string;
  readonly digest: string;
  readonly seq: number | string;
}

/** What a write about versions has to know first. */
@Injectable()
export class VersionsReader {
  private readonly names = new Gathered((names: readonly Name[]) => this.versionsOf(names));

  constructor(private readonly store: Store) {}

  async read(projectId: string, objectId: string): Promise<Versions> {
    const [lone, aliases] = await Promise.all([
      this.store.rows<VersionWithoutLatestRow>(versionsWithoutLatest(projectId, [objectId])),
      this.store.rows<AliasRow>(objectAliases(projectId, [objectId])),
    ]);
    const rows = withLatest(lone);
    const deleted = new Map(rows.map((row) => [row.digest, Number(row.last_deleted)]));
    const live = aliases.filter(({ digest, seq }) => Number(seq) > (deleted.get(digest) ?? 0));
    return {
      versions: rows.map(version),
      aliases: new Map(live.map(({ alias, digest }) => [alias, digest])),
    };
  }

  /** What Redis must know of a name before its next version gets an index. Many new names are one question. */
  async seed(projectId: string, kind: ObjectKind, objectId: string): Promise<VersionsSeed> {
    const rows = await this.names.get({ projectId, objectId });
    const series = rows.map(version).filter((one) => one.kind === kind);
    return {
      versions: series.map(({ digest, versionIndex }) => [digest, versionIndex]),
      next: series.reduce((next, { versionIndex }) => Math.max(next, versionIndex + 1), 0),
      class: series.find(({ isLive }) => isLive)?.baseClass,
    };
  }

  private async versionsOf(names: readonly Name[]): Promise<VersionRow[][]> {
    const found = new Map<string, VersionRow[]>();
    for (const projectId of new Set(names.map((name) => name.projectId))) {
      const ofProject = names.filter((name) => name.projectId === projectId);
      const objectIds = [...new Set(ofProject.map(({ objectId }) => objectId))];
      const lone = await this.store.rows<VersionWithoutLatestRow>(
        versionsWithoutLatest(projectId, objectIds),
      );
      for (const row of withLatest(lone)) {
        const key = keyOf({ projectId, objectId: row.object_id });
        found.set(key, [...(found.get(key) ?? []), row]);
      }
    }
    return names.map((name) => found.get(keyOf(name)) ?? []);
  }
}

function version(row: VersionRow): Version {
  return {
    kind: row.kind,
    digest: row.digest,
    versionIndex: row.idx,
    published: Number(row.last_published),
    isLatest: row.is_latest === 1,
    isLive: row.is_live === 1,
    baseClass: row.base,
    leafClass: row.leaf,
  };
}
