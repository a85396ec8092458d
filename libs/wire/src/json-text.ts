import { extentOfValue } from './json-spans.js';

/** The JSON text of one value, as bytes. */
export class JsonText {
  /** `knownDepth` saves a second scan when the caller has already measured the depth. */
  constructor(
    readonly bytes: Buffer,
    private readonly knownDepth?: number,
  ) {}

  /** Levels of nesting; 0 for a scalar. */
  get depth(): number {
    return this.knownDepth ?? extentOfValue(this.bytes, 0).depth;
  }

  get isObject(): boolean {
    return this.bytes[0] === 0x7b;
  }

  get isNull(): boolean {
    return this.bytes.length === 4 && this.bytes[0] === 0x6e;
  }

  toString(): string {
    return this.bytes.toString('utf8');
  }
}
