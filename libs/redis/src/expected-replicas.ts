/**
 * Longer than Sentinels need from the promotion of a replica until they announce it. For as long the old master still accepts
 * writes, which are lost.
 */
const GRACE_MS = 15_000;

/**
 * How many replicas a master should have. A fail-over begins with a replica that leaves: Sentinels promote it, then give the new
 * master to the other replicas, and only then to clients. A write that the others confirm meanwhile is lost with the old master.
 */
export class ExpectedReplicas {
  private replicationId = '';
  private expected = 0;
  private seenAt = 0;

  /** Notes what a server reports about itself. */
  note(replicationId: string, replicas: number, now = performance.now()): void {
    const isOther = replicationId !== this.replicationId;
    if (!isOther && replicas < this.expected && now - this.seenAt < GRACE_MS) return;
    this.replicationId = replicationId;
    this.expected = replicas;
    this.seenAt = now;
  }

  /** Whether a replica has left so recently that a fail-over may be in progress. */
  isMissing(replicas: number): boolean {
    return replicas < this.expected;
  }
}
