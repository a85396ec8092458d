import type { Stream, StreamFact } from './streams.js';

/** Limits the memory that a worker needs for one chunk. */
const CHUNK_MAX_BYTES = 2 * 1024 * 1024;
/** Limits the time for which encoding a chunk of tiny facts holds the event loop. */
const CHUNK_MAX_FACTS = 2000;

/** Slices within both limits; a fact that is larger is alone in its slice. */
export function* chunksOf<Fact>(
  facts: readonly Fact[],
  sizeOf: (fact: Fact) => number,
  maxBytes = CHUNK_MAX_BYTES,
  maxFacts = CHUNK_MAX_FACTS,
): Generator<readonly Fact[]> {
  let start = 0;
  let bytes = 0;
  for (const [index, fact] of facts.entries()) {
    const size = sizeOf(fact);
    const isFull = bytes + size > maxBytes || index - start === maxFacts;
    if (index > start && isFull) {
      yield facts.slice(start, index);
      start = index;
      bytes = 0;
    }
    bytes += size;
  }
  if (start < facts.length) yield facts.slice(start);
}

/** What `settle()` needs to remove a chunk and to count its facts. */
export interface PendingChunk {
  /** The BullMQ queue of its job. */
  readonly queue: string;
  /** The sorted sets that contain the chunk. Missing in a chunk of version 0.1. */
  readonly pendingWrites?: readonly string[];
  /** The sets that contain a chunk of version 0.1. Empty in others: a worker of that version needs the field to settle them. */
  readonly pending: readonly string[];
  /** Facts per project. */
  readonly facts: Readonly<Record<string, number>>;
  /** Bytes per project. */
  readonly bytes: Readonly<Record<string, number>>;
}

export function pendingChunkOf<Fact extends StreamFact>(
  { sizeOf, pendingWritesKeys }: Pick<Stream<Fact>, 'sizeOf' | 'pendingWritesKeys'>,
  queue: string,
  facts: readonly Fact[],
): Required<PendingChunk> {
  const loads = projectLoads(facts, sizeOf);
  const perProject = (count: (load: Load) => number) =>
    Object.fromEntries([...loads].map(([project, load]) => [project, count(load)]));
  return {
    queue,
    pendingWrites: [...keysOf(facts, pendingWritesKeys)],
    pending: [],
    facts: perProject((load) => load.facts),
    bytes: perProject((load) => load.bytes),
  };
}

function keysOf<Fact extends StreamFact>(
  facts: readonly Fact[],
  keysOfFact: (fact: Fact) => readonly string[],
): Set<string> {
  const keys = new Set<string>();
  let last: Fact | undefined;
  for (const fact of facts) {
    // The facts of a request follow each other, and nearly always have the same project and user.
    if (last?.projectId === fact.projectId && last.userId === fact.userId) continue;
    last = fact;
    for (const key of keysOfFact(fact)) keys.add(key);
  }
  return keys;
}

interface Load {
  facts: number;
  bytes: number;
}

/** By project. A Map, because a rejected fact may have any project id, even "constructor". */
export type Loads = ReadonlyMap<string, Readonly<Load>>;

export function projectLoads<Fact extends StreamFact>(
  facts: readonly Fact[],
  sizeOf: (fact: Fact) => number,
): Loads {
  const loads = new Map<string, Load>();
  for (const fact of facts) {
    const load = loads.get(fact.projectId) ?? { facts: 0, bytes: 0 };
    loads.set(fact.projectId, load);
    load.facts++;
    load.bytes += sizeOf(fact);
  }
  return loads;
}

/** The loads of several requests together. */
export function sumOf(all: readonly Loads[]): Loads {
  if (all.length === 1) return all[0]!;
  const sum = new Map<string, Load>();
  for (const loads of all)
    for (const [project, { facts, bytes }] of loads) {
      const load = sum.get(project) ?? { facts: 0, bytes: 0 };
      sum.set(project, { facts: load.facts + facts, bytes: load.bytes + bytes });
    }
  return sum;
}
