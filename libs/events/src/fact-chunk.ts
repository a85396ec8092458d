import { micros, microsOf, millis, type Micros, type Millis } from '@app/wire';
import type { CallFactKind, Fact, FactOrigin } from './call.events.js';
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
  const numbers = facts.map(
    (fact) => [projects.number(fact.projectId), senders.number(fact)] as const,
  );
  const header: Header & { v: number } = {
    v: CHUNK_VERSION,
    count: facts.length,
    projects: projects.all,
    people: senders.people,
    addOnly: senders.addOnly,
    ...(senders.origins.length > 0 && { origins: senders.origins }),
  };
  const writer = new Writer(JSON.stringify(header), facts);
  facts.forEach((fact, i) => {
    const [project, person] = numbers[i]!;
    writer.head(WIRE_KINDS.indexOf(fact.kind), project, person, fact.receivedAt);
    writer.text(fact.callId);
    writer.text(reasonOf(fact));
    writer.bytes(fact.item);
  });
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
  const sender = senders[reader.uint32()]!;
  const receivedAt = micros(reader.double());
  const callId = reader.sized().toString('utf8');
  const reason = reader.sized().toString('utf8');
  const item = reader.sized();
  const common = { projectId, ...sender, receivedAt, chunkId, index, callId, item };
  return kind === 'rejected' ? { kind, reason, ...common } : { kind, ...common };
}

/** Writes into one buffer of the final size, because a chunk may have megabytes. */
class Writer {
  private readonly buffer: Buffer;
  private at = 0;

  constructor(header: string, facts: readonly NewFact[]) {
    let size = 4 + Buffer.byteLength(header);
    for (const fact of facts) {
      const texts = Buffer.byteLength(fact.callId) + Buffer.byteLength(reasonOf(fact));
      size += HEAD_BYTES + 12 + texts + fact.item.length;
    }
    this.buffer = Buffer.allocUnsafe(size);
    this.text(header);
  }

  head(kind: number, project: number, person: number, receivedAt: number): void {
    this.at = this.buffer.writeUInt8(kind, this.at);
    this.at = this.buffer.writeUInt32LE(project, this.at);
    this.at = this.buffer.writeUInt32LE(person, this.at);
    this.at = this.buffer.writeDoubleLE(receivedAt, this.at);
  }

  text(content: string): void {
    const length = this.buffer.write(content, this.at + 4);
    this.buffer.writeUInt32LE(length, this.at);
    this.at += 4 + length;
  }

  bytes(content: Buffer): void {
    this.at = this.buffer.writeUInt32LE(content.length, this.at);
    this.at += content.copy(this.buffer, this.at);
  }

  written(): Buffer {
    return this.buffer.subarray(0, this.at);
  }
}

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
  constructor(
    private readonly bytes: Buffer,
    private at: number,
  ) {}

  byte(): number {
    return this.bytes.readUInt8(this.at++);
  }

  uint32(): number {
    this.at += 4;
    return this.bytes.readUInt32LE(this.at - 4);
  }

  double(): number {
    this.at += 8;
    return this.bytes.readDoubleLE(this.at - 8);
  }

  sized(): Buffer {
    const length = this.uint32();
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}
