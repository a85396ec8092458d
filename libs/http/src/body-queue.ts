interface Sized {
  readonly bytes: number;
}

interface Entry<Job> {
  readonly job: Job;
  /** The bytes that are taken before the job at the latest, counted since the queue exists. */
  readonly dueAt: number;
}

/**
 * Jobs that wait for the body thread. A small job overtakes a large one, so that a client with large bodies delays only others with
 * bodies of that size. But smaller jobs that overtake a job have together at most its own number of bytes, so that none waits indefinitely.
 */
export class BodyQueue<Job extends Sized> {
  private readonly entries: Entry<Job>[] = [];
  private takenBytes = 0;

  get size(): number {
    return this.entries.length;
  }

  add(job: Job): void {
    this.entries.push({ job, dueAt: this.takenBytes + job.bytes });
  }

  /** The job that is due first; of two that are due at the same time, the one that was added first. */
  take(): Job | undefined {
    let first = 0;
    for (let i = 1; i < this.entries.length; i++)
      if (this.entries[i]!.dueAt < this.entries[first]!.dueAt) first = i;
    const [entry] = this.entries.splice(first, 1);
    this.takenBytes += entry?.job.bytes ?? 0;
    return entry?.job;
  }
}
