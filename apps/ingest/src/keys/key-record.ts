import type { KeyEntry } from '@app/auth';
import type { KeyRecord } from '@app/contracts';

export function keyRecord(entry: KeyEntry): KeyRecord {
  const { id, user, scope, role, name, createdBy } = entry;
  return {
    id,
    user,
    scope,
    role,
    name: name ?? null,
    created_at: moment(entry.createdAt),
    created_by: createdBy ?? null,
    last_used_at: moment(entry.lastUsedAt),
    ends_at: moment(entry.endsAt),
  };
}

const moment = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
