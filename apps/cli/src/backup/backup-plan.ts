import type { BackupKey } from './backup-key.js';

/** The full backup of an incremental one. */
export interface BackupBase {
  /** As the operator names it. */
  readonly name: string;
  readonly id: string;
  /** Where ClickHouse finds its list of files. */
  readonly path: string;
  /** As in its manifest. */
  readonly shards: readonly number[] | null;
}

export interface BackupPlan {
  readonly directory: string;
  readonly base: BackupBase | undefined;
  readonly key: BackupKey | undefined;
}
