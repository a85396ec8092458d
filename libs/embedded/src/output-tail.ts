import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

const KEPT_LINES = 20;

/** The last lines a child wrote, for the sentence that explains its end. */
export class OutputTail {
  private readonly kept: string[] = [];

  constructor(private readonly onLine: (line: string) => void) {}

  /** Reading also keeps the child from blocking on a full pipe. */
  watch(stream: Readable): void {
    createInterface({ input: stream }).on('line', (line) => this.keep(line));
  }

  get text(): string {
    return this.kept.join('\n');
  }

  private keep(line: string): void {
    if (line.trim() === '') return;
    this.kept.push(line);
    if (this.kept.length > KEPT_LINES) this.kept.shift();
    this.onLine(line);
  }
}
