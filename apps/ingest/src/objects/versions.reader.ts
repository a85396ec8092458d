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

export interface Version extends SelectableVersion {
  readonly kind: ObjectKind;
  readonly isLive: boolean;
  readonly baseClass: string;
  readonly leafClass: string;
}

/** The versions and aliases of one name. */
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

/** Reads what a write needs to know about versions. */
@Injectable()
export class VersionsReader {
  private readonly names = new BatchLoader((names: readonly Name[]) => this.versionsOf(names));

  constructor(private readonly store: Store) {}

  async read(projectId: string, objectId: string): Promise<Versions> {
    const [versions, aliases] = await Promise.all([
      this.store.rows<VersionWithoutLatestRow>(versionsWithoutLatest(projectId, [objectId])),
      this.store.rows<AliasRow>(objectAliases(projectId, [objectId])),
    ]);
    const rows = withLatest(versions);
    const deleted = new Map(rows.map((row) => [row.digest, Number(row.last_deleted)]));
    const live = aliases.filter(({ digest, seq }) => Number(seq) > (deleted.get(digest) ?? 0));
    return {
      versions: rows.map(version),
      aliases: new Map(live.map(({ alias, digest }) => [alias, digest])),
    };
  }

  /** The state that Redis needs to assign the next index of a name. One query serves many names. */
  async seed(projectId: string, kind: ObjectKind, objectId: string): Promise<VersionsSeed> {
    const rows = await this.names.load({ projectId, objectId });
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
      const versions = await this.store.rows<VersionWithoutLatestRow>(
        versionsWithoutLatest(projectId, objectIds),
      );
      for (const row of withLatest(versions)) {
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

/** Loads the keys that arrive during a query together in the next query. */
class BatchLoader<Key, Value> {
  private waiting: {
    readonly key: Key;
    readonly resolve: (value: Value) => void;
    readonly reject: (error: unknown) => void;
  }[] = [];
  private isLoading = false;

  /** `query` returns one value per key, in the order of the keys. */
  constructor(private readonly query: (keys: readonly Key[]) => Promise<readonly Value[]>) {}

  load(key: Key): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, resolve, reject });
      if (!this.isLoading) void this.loadWaiting();
    });
  }

  private async loadWaiting(): Promise<void> {
    this.isLoading = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      await this.query(batch.map(({ key }) => key)).then(
        (values) => batch.forEach(({ resolve }, i) => resolve(values[i]!)),
        (error: unknown) => batch.forEach(({ reject }) => reject(error)),
      );
    }
    this.isLoading = false;
  }
}
