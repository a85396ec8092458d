import type { KeyEntry } from '@app/auth';
import type { KeyRecord } from '@app/contracts';
import type { Millis } from '@app/wire';

export function keyRecord(entry: KeyEntry): KeyRecord {
  const { id, user, scope, role, name, createdBy } = entry;
  return {
    id,
    user,
    scope,
    role,
    name: name ?? null,
    created_at: timestamp(entry.createdAt),
    created_by: createdBy ?? null,
    last_used_at: timestamp(entry.lastUsedAt),
    addresses: entry.addresses === undefined ? null : [...entry.addresses],
    ends_at: timestamp(entry.endsAt),
  };
}

const timestamp = (time: Millis | undefined) =>
  time === undefined ? null : new Date(time).toISOString();
