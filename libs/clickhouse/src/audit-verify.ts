import { CHAIN_START, ChainCheck, type ChainHead } from './audit-chain.js';
import { AUDIT_END, auditChain, type AuditLogRow } from './audit-log.js';
import type { Store } from './store.js';

const PAGE = 5000;
const FAULTS_MAX = 20;

export interface AuditVerification {
  /** The last entry that was checked. */
  readonly head: ChainHead;
  /** Entries from before the chain, which cannot be checked. */
  readonly older: number;
  /** A sentence for each, at most twenty and those of one page. */
  readonly faults: readonly string[];
  /** Whether entries after `head` remain to be checked. */
  readonly hasMore: boolean;
}

export interface VerifyOptions {
  /**
   * The end of the chain that Redis has, read before: the table alone cannot show a missing end. Undefined when Redis has
   * none.
   */
  readonly noted: ChainHead | undefined;
  /** An end of the chain that an operator noted before. */
  readonly expect?: ChainHead | undefined;
  /** Continues after an entry that was checked before. */
  readonly after?: ChainHead | undefined;
  /** Most entries to check. */
  readonly limit?: number;
}

/** Reads the chain of the audit log in pages, and checks that no entry was changed, removed or moved. */
export async function verifyAudit(
  store: Store,
  { noted, expect, after = CHAIN_START, limit = Infinity }: VerifyOptions,
): Promise<AuditVerification> {
  const [end] = await store.rows<{ seq: string; hash: string; older: string }>(AUDIT_END);
  const last = Math.min(Number(end!.seq), after.seq + limit);
  const check = new ChainCheck(after);
  const faults: string[] = [];
  for (let from = after.seq + 1; from <= last; from += PAGE) {
    const rows = await store.rows<AuditLogRow>(auditChain(from, Math.min(PAGE, last - from + 1)));
    faults.push(...check.add(rows.map(numbered)));
    if (expect !== undefined && expect.seq >= from && expect.seq < from + PAGE)
      faults.push(...foundAs(expect, rows));
    if (faults.length > FAULTS_MAX) break;
  }
  const hasMore = last < Number(end!.seq);
  if (faults.length === 0 && !hasMore) faults.push(...check.end(noted ?? CHAIN_START));
  if (expect !== undefined && !hasMore && expect.seq > check.head.seq)
    faults.push(...check.end(expect));
  return { head: check.head, older: Number(end!.older), faults, hasMore };
}

const foundAs = ({ seq, hash }: ChainHead, rows: readonly AuditLogRow[]) =>
  rows.some((row) => Number(row.seq) === seq && row.hash === hash)
    ? []
    : [`Entry ${seq} is not the expected one.`];

const numbered = (row: AuditLogRow) => ({ ...row, at: Number(row.at), seq: Number(row.seq) });
