import { micros, microsOf, millis, type Micros, type Millis } from '@app/wire';
import type { CallFactKind, Fact, FactOrigin } from './call.events.js';
import { DecodedFact } from './decoded-fact.js';
import { CHUNK_VERSION, ChunkError, readChunkHeader } from './chunk-header.js';

/** A fact before it is assigned to a chunk. */
export type NewFact = (
  | Omit<Extract<Fact, { kind: CallFactKind }>, 'chunkId' | 'index'>
  | Omit<Extract<Fact, { kind: 'rejected' }>, 'chunkId' | 'index'>
) & {
  /** The call started before the two newest months. Such facts are queued apart, so that newer ones do not wait. */
  readonly isOld?: boolean;
};

/**
 * Start of the two newest months. Months are partitions, and an insert creates a part in each partition
 * it writes to. So facts of older months are inserted separately and do not delay the newest ones.
 */
export function startOfNewMonths(now: Millis): Micros {
  const today = new Date(now);
  return microsOf(millis(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1)));
}

const WIRE_KINDS = ['start', 'end', 'complete', 'rename', 'delete', 'rejected'] as const;
const KIND_NUMBERS: Readonly<Record<NewFact['kind'], number>> = {
  start: 0,
  end: 1,
  complete: 2,
  rename: 3,
  delete: 4,
  rejected: 5,
};

/** Approximate size of a fact in a chunk, to decide when a chunk is full. */
export function factSize(fact: NewFact): number {
  return fact.item.length + fact.callId.length + 48;
}

/** Size of the fixed fields of a fact: kind, project, user and time of receipt. */
const HEAD_BYTES = 17;

/** Encodes facts that are queued together: one value in Redis, one job, one flush receipt. */
export function encodeChunk(facts: readonly NewFact[]): Buffer {
  const senders = new Senders();
  const projects = new Interned();
  const projectNumbers = facts.map(({ projectId }) => projects.number(projectId));
  const senderNumbers = facts.map((fact) => senders.number(fact));
  const header: Header & { v: number } = {
    v: CHUNK_VERSION,
    count: facts.length,
    projects: projects.all,
    people: senders.people,
    addOnly: senders.addOnly,
    ...(senders.origins.length > 0 && { origins: senders.origins }),
  };
  const writer = new Writer(JSON.stringify(header), facts);
  for (let i = 0; i < facts.length; i++) {
    const fact = facts[i]!;
    writer.head(KIND_NUMBERS[fact.kind], projectNumbers[i]!, senderNumbers[i]!, fact.receivedAt);
    writer.text(fact.callId);
    writer.text(reasonOf(fact));
    writer.bytes(fact.item);
  }
  return writer.written();
}

const reasonOf = (fact: NewFact) => (fact.kind === 'rejected' ? fact.reason : '');

interface Header {
  readonly count: number;
  readonly projects: readonly string[];
  readonly people: readonly string[];
  /** The numbers of the people whose keys may only add. Absent in a chunk of an earlier release. */
  readonly addOnly?: readonly number[];
  /** Where some of the people sent their facts from. Absent in a chunk of an earlier release. */
  readonly origins?: readonly (readonly [person: number, ...FactOriginTexts])[];
}

type FactOriginTexts = readonly [keyId: string, address: string, requestId: string];

/** Decodes the facts of a chunk. Their items are views into `bytes`, not copies. */
export function decodeChunk(chunkId: string, bytes: Buffer): Fact[] {
  const { header, end } = readChunkHeader<Header>(chunkId, bytes);
  const reader = new Reader(bytes, end);
  const senders = sendersIn(header);
  const facts: Fact[] = [];
  for (let index = 0; index < header.count; index++) {
    facts.push(readFact(reader, header, senders, chunkId, index));
  }
  if (reader.left !== 0)
    throw new ChunkError(`chunk ${chunkId} has ${reader.left} bytes after its last fact`);
  return facts;
}

/** The user of a fact and what is known of the request. */
type Sender = Pick<NewFact, 'userId' | 'addsOnly' | 'origin'>;

function sendersIn({ people, addOnly, origins = [] }: Header): Sender[] {
  const adding = new Set(addOnly);
  const known = new Map(
    origins.map(([person, keyId, address, requestId]) => [person, { keyId, address, requestId }]),
  );
  return people.map((userId, person) => {
    const origin = known.get(person);
    return { userId, addsOnly: adding.has(person), ...(origin && { origin }) };
  });
}

function readFact(
  reader: Reader,
  header: Header,
  senders: readonly Sender[],
  chunkId: string,
  index: number,
): Fact {
  const number = reader.byte();
  const kind = WIRE_KINDS[number];
  if (kind === undefined)
    throw new ChunkError(`chunk ${chunkId} has a fact of the unknown kind ${number}`);
  const projectId = header.projects[reader.uint32()]!;
  const { userId, addsOnly, origin } = senders[reader.uint32()]!;
  const receivedAt = micros(reader.double());
  const callId = reader.text();
  const reason = reader.text();
  const item = reader.sized();
  if (kind === 'rejected') {
    const sender = origin === undefined ? { userId, addsOnly } : { userId, addsOnly, origin };
    return { kind, reason, projectId, ...sender, receivedAt, chunkId, index, callId, item };
  }
  return new DecodedFact(
    kind,
    projectId,
    callId,
    userId,
    addsOnly,
    origin,
    receivedAt,
    chunkId,
    index,
    item,
  );
}

/** A longer text is written and read by Node, for which a call costs as much as this many characters. */
const SHORT_TEXT = 64;
/** The most bytes that UTF-8 needs for a unit of a string. */
const UNIT_MAX_BYTES = 3;

/** Writes into one buffer, because a chunk may have megabytes. */
class Writer {
  private readonly buffer: Buffer;
  private readonly view: DataView;
  private at = 0;

  constructor(header: string, facts: readonly NewFact[]) {
    let size = 4 + UNIT_MAX_BYTES * header.length;
    for (const fact of facts) {
      const units = fact.callId.length + reasonOf(fact).length;
      size += HEAD_BYTES + 12 + UNIT_MAX_BYTES * units + fact.item.length;
    }
    this.buffer = Buffer.allocUnsafe(size);
    this.view = viewOf(this.buffer);
    this.text(header);
  }

  head(kind: number, project: number, person: number, receivedAt: number): void {
    this.view.setUint8(this.at, kind);
    this.view.setUint32(this.at + 1, project, true);
    this.view.setUint32(this.at + 5, person, true);
    this.view.setFloat64(this.at + 9, receivedAt, true);
    this.at += HEAD_BYTES;
  }

  text(content: string): void {
    const start = this.at + 4;
    const isWritten = content.length <= SHORT_TEXT && this.writeAscii(content, start);
    const length = isWritten ? content.length : this.buffer.write(content, start);
    this.view.setUint32(this.at, length, true);
    this.at = start + length;
  }

  /** False when the text has other characters. */
  private writeAscii(content: string, start: number): boolean {
    for (let i = 0; i < content.length; i++) {
      const unit = content.charCodeAt(i);
      if (unit > 0x7f) return false;
      this.buffer[start + i] = unit;
    }
    return true;
  }

  bytes(content: Buffer): void {
    this.view.setUint32(this.at, content.length, true);
    this.at += 4;
    this.at += content.copy(this.buffer, this.at);
  }

  written(): Buffer {
    return this.buffer.subarray(0, this.at);
  }
}

const viewOf = ({ buffer, byteOffset, length }: Buffer) => new DataView(buffer, byteOffset, length);

/** Numbers for texts. */
class Interned {
  readonly all: string[] = [];
  private readonly numbers = new Map<string, number>();

  number(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    const number = this.all.push(text) - 1;
    this.numbers.set(text, number);
    return number;
  }
}

/** Numbers for users. One user has several: for keys that only add, and for each request. */
class Senders {
  readonly people: string[] = [];
  readonly addOnly: number[] = [];
  readonly origins: (readonly [number, ...FactOriginTexts])[] = [];
  /** The facts of a request share one origin object. */
  private readonly numbers = new Map<FactOrigin | undefined, NumbersOfOrigin>();

  number({ userId, addsOnly, origin }: Sender): number {
    const numbers = this.numbersOf(origin)[addsOnly ? 1 : 0];
    const known = numbers.get(userId);
    if (known !== undefined) return known;
    const number = this.people.push(userId) - 1;
    numbers.set(userId, number);
    if (addsOnly) this.addOnly.push(number);
    if (origin) this.origins.push([number, origin.keyId, origin.address, origin.requestId]);
    return number;
  }

  private numbersOf(origin: FactOrigin | undefined): NumbersOfOrigin {
    const known = this.numbers.get(origin);
    if (known !== undefined) return known;
    const numbers: NumbersOfOrigin = [new Map(), new Map()];
    this.numbers.set(origin, numbers);
    return numbers;
  }
}

/** By user: of keys that may change calls, and of keys that only add. */
type NumbersOfOrigin = readonly [Map<string, number>, Map<string, number>];

class Reader {
  private readonly view: DataView;

  constructor(
    private readonly bytes: Buffer,
    private at: number,
  ) {
    this.view = viewOf(bytes);
  }

  /** Bytes that are not read yet. */
  get left(): number {
    return this.bytes.length - this.at;
  }

  byte(): number {
    return this.view.getUint8(this.at++);
  }

  uint32(): number {
    this.at += 4;
    return this.view.getUint32(this.at - 4, true);
  }

  double(): number {
    this.at += 8;
    return this.view.getFloat64(this.at - 8, true);
  }

  text(): string {
    const length = this.length();
    return length === 0 ? '' : this.bytes.toString('utf8', this.at - length, this.at);
  }

  sized(): Buffer {
    const length = this.length();
    return this.bytes.subarray(this.at - length, this.at);
  }

  /** Of the bytes that are passed by this. */
  private length(): number {
    const length = this.uint32();
    if (length > this.left) throw new ChunkError(`a chunk ends within a fact`);
    this.at += length;
    return length;
  }
}
