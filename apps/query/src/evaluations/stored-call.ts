import { refIn } from '@app/contracts';
import { memberSpans, parseTimestamp, textAtPath, type Span } from '@app/wire';

/** A call from the JSON text of its record. Payloads stay the exact texts that were sent. */
export class StoredCall {
  private readonly json: Buffer;
  private readonly members: ReadonlyMap<string, Span>;

  constructor(record: string) {
    this.json = Buffer.from(record);
    this.members = memberSpans(this.json);
  }

  /** The JSON text at a path; undefined when there is none. */
  jsonAt(...path: readonly [string, ...string[]]): string | undefined {
    const [member, ...rest] = path;
    const span = this.members.get(member);
    return span && textAtPath(this.json.subarray(span.start, span.end), rest);
  }

  /** The same if it is a text. */
  text(...path: readonly [string, ...string[]]): string | undefined {
    const json = this.jsonAt(...path);
    return json?.startsWith('"') ? (JSON.parse(json) as string) : undefined;
  }

  get bytes(): number {
    return this.json.length;
  }

  get id(): string {
    return this.text('id') ?? '';
  }

  get parentId(): string | undefined {
    return this.text('parent_id');
  }

  get opName(): string {
    return this.text('op_name') ?? '';
  }

  /** The name of the op without its project and version. */
  get opId(): string {
    return nameIn(this.opName) ?? this.opName;
  }

  /** From start to end; undefined while the call runs. */
  get seconds(): number | undefined {
    const [start, end] = [this.text('started_at'), this.text('ended_at')];
    if (start === undefined || end === undefined) return undefined;
    return (microsIn(end) - microsIn(start)) / 1_000_000;
  }
}

const microsIn = (timestamp: string): number => parseTimestamp(timestamp) ?? 0;

/** The name in the ref of an object or op; undefined for other texts. */
export function nameIn(ref: string): string | undefined {
  const parsed = refIn(ref);
  return parsed?.kind === 'object' || parsed?.kind === 'op' ? parsed.name : undefined;
}
