import { createHash } from 'node:crypto';

/** The last entry of the chain. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** Before the first entry. */
export const CHAIN_START: ChainHead = { seq: 0, hash: '' };

/** The fields of an entry that its hash covers. */
export interface AuditContent {
  readonly at: number;
  readonly id: string;
  readonly user_id: string;
  readonly key_id: string;
  readonly address: string;
  readonly request_id: string;
  readonly action: string;
  readonly project_id: string;
  readonly detail: string;
}

export type ChainedEntry = AuditContent & ChainHead;

/** The entries as the continuation of a chain: each hash covers the entry, its number and the hash before it. */
export function chained<Entry extends AuditContent>(
  head: ChainHead,
  entries: readonly Entry[],
): (Entry & ChainHead)[] {
  let last = head;
  return entries.map((entry) => {
    const seq = last.seq + 1;
    last = { seq, hash: hashOf(last.hash, seq, entry) };
    return { ...entry, ...last };
  });
}

function hashOf(before: string, seq: number, entry: AuditContent): string {
  const { at, id, user_id, key_id, address, request_id, action, project_id, detail } = entry;
  const who = [user_id, key_id, address, request_id];
  const covered = [before, seq, at, id, ...who, action, project_id, detail];
  return createHash('sha256').update(JSON.stringify(covered)).digest('hex');
}

/** Checks the entries of a chain, which come sorted by number, in parts of any size. */
export class ChainCheck {
  constructor(private last: ChainHead = CHAIN_START) {}

  get head(): ChainHead {
    return this.last;
  }

  /** A sentence for each fault. After a fault the check continues with the stored hash, so that one change is one fault. */
  add(entries: readonly ChainedEntry[]): string[] {
    return entries.flatMap((entry) => {
      const faults = this.faultsOf(entry);
      this.last = { seq: entry.seq, hash: entry.hash };
      return faults;
    });
  }

  /** Whether the chain ends at this head, which was noted elsewhere. */
  end(expected: ChainHead): string[] {
    const { seq, hash } = this.last;
    if (expected.seq > seq) return [missing(seq + 1, expected.seq)];
    return expected.seq === seq && expected.hash !== hash ? [changed(seq)] : [];
  }

  private faultsOf(entry: ChainedEntry): string[] {
    const { seq, hash } = this.last;
    if (entry.seq === seq) return [`Entry ${seq} exists in two versions.`];
    if (entry.seq > seq + 1) return [missing(seq + 1, entry.seq - 1)];
    return hashOf(hash, entry.seq, entry) === entry.hash ? [] : [changed(entry.seq)];
  }
}

const changed = (seq: number) => `Entry ${seq} was changed, or the one before it.`;
const missing = (from: number, to: number) =>
  from === to ? `Entry ${from} is missing.` : `Entries ${from} to ${to} are missing.`;
