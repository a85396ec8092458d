import type { NewFact } from '@app/events';
import { asBuffer, timesInSlices } from '@app/http';
import type { Micros } from '@app/wire';
import { isViewOf } from './body-outline.js';
import type { CallResponse } from './call-facts.js';

export interface CallsRead {
  /** Redacted. All have the same time of receipt. */
  readonly facts: readonly NewFact[];
  /** One per item of the request. */
  readonly responses: readonly CallResponse[];
  /** The paths of members that are not read. */
  readonly ignored: readonly string[];
}

/**
 * The facts and responses of a body in a form that moves from thread to thread: copying an object for each fact, with a view of
 * the body, takes longer than making it. All facts of a request have the same sender, which is not part of it.
 */
export interface PackedCalls {
  readonly projects: readonly string[];
  /** FACT_NUMBERS of each fact. */
  readonly facts: Uint32Array;
  /** RESPONSE_NUMBERS of each response. */
  readonly responses: Uint32Array;
  /** The call id and the reason of each fact, then the ids of each response, without anything in between. */
  readonly texts: string;
  /** Most items are views of it. Empty when none is. */
  readonly body: Uint8Array;
  /** The bytes of all other items, such as redacted ones. */
  readonly others: Uint8Array;
  readonly ignored: readonly string[];
}

/** Kind and flags, project, length of the call id, length of the reason, start and end of the item. */
const FACT_NUMBERS = 6;
const KINDS = ['start', 'end', 'complete', 'rename', 'delete', 'rejected'] as const;
const KIND_BITS = 7;
const IS_OLD = 8;
const IS_OTHER = 16;

/** Length of the id, or NO_IDS, and length of the trace id. */
const RESPONSE_NUMBERS = 2;
const NO_IDS = 0xffffffff;

const NO_BYTES = new Uint8Array(0);

/** Of the facts and responses that were read from `body`. */
export function packedCalls(body: Buffer, { facts, responses, ignored }: CallsRead): PackedCalls {
  const texts: string[] = [];
  return {
    ...packedFacts(body, facts, texts),
    responses: packedResponses(responses, texts),
    texts: texts.join(''),
    body: facts.some(({ item }) => isViewOf(body, item)) ? body : NO_BYTES,
    ignored,
  };
}

function packedFacts(
  body: Buffer,
  facts: readonly NewFact[],
  texts: string[],
): Pick<PackedCalls, 'projects' | 'facts' | 'others'> {
  const projects = new Map<string, number>();
  const numbers = new Uint32Array(facts.length * FACT_NUMBERS);
  const others: Buffer[] = [];
  let otherBytes = 0;
  facts.forEach((fact, i) => {
    const { kind, projectId, callId, item } = fact;
    const isOther = !isViewOf(body, item);
    const start = isOther ? otherBytes : item.byteOffset - body.byteOffset;
    if (isOther) {
      others.push(item);
      otherBytes += item.length;
    }
    const reason = kind === 'rejected' ? fact.reason : '';
    texts.push(callId, reason);
    const at = i * FACT_NUMBERS;
    numbers[at] = KINDS.indexOf(kind) | (fact.isOld ? IS_OLD : 0) | (isOther ? IS_OTHER : 0);
    numbers[at + 1] = numberOf(projects, projectId);
    numbers[at + 2] = callId.length;
    numbers[at + 3] = reason.length;
    numbers[at + 4] = start;
    numbers[at + 5] = start + item.length;
  });
  return { projects: [...projects.keys()], facts: numbers, others: joined(others, otherBytes) };
}

function numberOf(numbers: Map<string, number>, text: string): number {
  const known = numbers.get(text);
  if (known !== undefined) return known;
  numbers.set(text, numbers.size);
  return numbers.size - 1;
}

/** In memory of their own, which can move to another thread. */
function joined(items: readonly Buffer[], bytes: number): Uint8Array {
  const memory = new Uint8Array(bytes);
  let at = 0;
  for (const item of items) {
    memory.set(item, at);
    at += item.length;
  }
  return memory;
}

function packedResponses(responses: readonly CallResponse[], texts: string[]): Uint32Array {
  const numbers = new Uint32Array(responses.length * RESPONSE_NUMBERS);
  responses.forEach((response, i) => {
    const at = i * RESPONSE_NUMBERS;
    if (!hasIds(response)) {
      numbers[at] = NO_IDS;
      return;
    }
    const { id, trace_id } = response;
    texts.push(id, trace_id);
    numbers[at] = id.length;
    numbers[at + 1] = trace_id.length;
  });
  return numbers;
}

const hasIds = (response: CallResponse): response is Extract<CallResponse, { id: string }> =>
  'id' in response;

/** What the facts of a request have in common. */
export interface Sender extends Pick<NewFact, 'userId' | 'addsOnly' | 'origin'> {
  /** The time of receipt of the next fact. */
  readonly now: () => Micros;
}

/** In slices, because a body may have 20,000 calls. */
export async function unpackedCalls(
  packed: PackedCalls,
  sender: Sender,
): Promise<Pick<CallsRead, 'facts' | 'responses'>> {
  const unpacking = new Unpacking(packed, sender);
  const facts = await timesInSlices(packed.facts.length / FACT_NUMBERS, (i) => unpacking.fact(i));
  const responses = await timesInSlices(packed.responses.length / RESPONSE_NUMBERS, (i) =>
    unpacking.response(i),
  );
  return { facts, responses };
}

/** Makes the facts and then the responses, in order. */
class Unpacking {
  private readonly body: Buffer;
  private readonly others: Buffer;
  private textsAt = 0;

  constructor(
    private readonly packed: PackedCalls,
    private readonly sender: Sender,
  ) {
    this.body = asBuffer(packed.body);
    this.others = asBuffer(packed.others);
  }

  fact(index: number): NewFact {
    const { facts: numbers, projects } = this.packed;
    const at = index * FACT_NUMBERS;
    const flags = numbers[at]!;
    const kind = KINDS[flags & KIND_BITS]!;
    const projectId = projects[numbers[at + 1]!]!;
    const callId = this.text(numbers[at + 2]!);
    const reason = this.text(numbers[at + 3]!);
    const memory = (flags & IS_OTHER) === 0 ? this.body : this.others;
    const item = memory.subarray(numbers[at + 4], numbers[at + 5]);
    const isOld = (flags & IS_OLD) !== 0;
    const { userId, addsOnly, origin } = this.sender;
    const receivedAt = this.sender.now();
    if (kind !== 'rejected') {
      return origin === undefined
        ? { kind, projectId, callId, userId, addsOnly, receivedAt, item, isOld }
        : { kind, projectId, callId, userId, addsOnly, receivedAt, item, isOld, origin };
    }
    const sent = { kind, projectId, callId, userId, addsOnly, receivedAt, item, reason };
    return origin === undefined ? sent : { ...sent, origin };
  }

  response(index: number): CallResponse {
    const { responses: numbers } = this.packed;
    const at = index * RESPONSE_NUMBERS;
    const idLength = numbers[at]!;
    if (idLength === NO_IDS) return {};
    return { id: this.text(idLength), trace_id: this.text(numbers[at + 1]!) };
  }

  private text(length: number): string {
    const start = this.textsAt;
    this.textsAt += length;
    return this.packed.texts.slice(start, this.textsAt);
  }
}
