import type { AnnotationFact } from './annotation.events.js';
import { CHUNK_VERSION, ChunkError, readChunkHeader } from './chunk-header.js';
import type { SpanRecorded } from './agent.events.js';
import type { CostFact } from './cost.events.js';
import type { FeedbackFact } from './feedback.events.js';
import type { FileStored } from './file.events.js';
import type { ObjectFact } from './object.events.js';
import type { ProvenanceFact } from './provenance.events.js';
import type { Order, Ordered, RecordFact } from './record-fact.js';
import type { RetentionSet } from './project.events.js';
import type { TableFact } from './table.events.js';

/** Every fact about records; every `switch` on `type` must handle a new member. */
export type AnyRecordFact =
  | ObjectFact
  | TableFact
  | FileStored
  | FeedbackFact
  | CostFact
  | RetentionSet
  | AnnotationFact
  | ProvenanceFact
  | SpanRecorded;

/** A later release may send further types. Without this list, the whole flush would fail, with chunks that can be read. */
const KNOWN_TYPES: Readonly<Record<AnyRecordFact['type'], true>> = {
  ObjectPublished: true,
  ObjectDeleted: true,
  TagChanged: true,
  AliasChanged: true,
  RowsAdded: true,
  TableCreated: true,
  FileStored: true,
  RetentionSet: true,
  FeedbackGiven: true,
  FeedbackPurged: true,
  PriceSet: true,
  PricePurged: true,
  SpanRecorded: true,
  AnnotationQueueCreated: true,
  AnnotationQueueChanged: true,
  AnnotationQueueDeleted: true,
  AnnotationItemAdded: true,
  AnnotationItemProgressed: true,
  DatasetSourceLinked: true,
  DatasetSourceUnlinked: true,
};

interface Header {
  readonly facts: readonly (Omit<RecordFact, 'body'> & { readonly size: number })[];
}

/** Encodes facts that are queued together. The publisher's script in Redis appends the order it assigned to them. */
export function encodeRecords(facts: readonly RecordFact[]): Buffer {
  const heads = facts.map(({ body, ...head }) => ({ ...head, size: body.length }));
  const header = Buffer.from(JSON.stringify({ v: CHUNK_VERSION, facts: heads }));
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32LE(header.length);
  return Buffer.concat([length, header, ...facts.map(({ body }) => body)]);
}

/** The facts in order; empty when Redis refused the chunk. Bodies are views into `bytes`. */
export function decodeRecords(chunkId: string, bytes: Buffer): Ordered<AnyRecordFact>[] {
  const { header, end: start } = readChunkHeader<Header>(chunkId, bytes);
  const unknown = header.facts.find(({ type }) => !Object.hasOwn(KNOWN_TYPES, type));
  if (unknown !== undefined)
    throw new ChunkError(`chunk ${chunkId} has a fact of the unknown type ${unknown.type}`);
  const end = header.facts.reduce((at, { size }) => at + size, start);
  const orders = readOrders(bytes.toString('utf8', end));
  if (orders === undefined) return [];
  let at = start;
  return header.facts.map(({ size, ...head }, index) => {
    const body = bytes.subarray(at, (at += size));
    return { ...(head as AnyRecordFact), body, ...orders[index]!, chunkId, index };
  });
}

/** Parses `[[seq, versionIndex], …]`, or `null` for a refused chunk. */
export function readOrders(text: string): Order[] | undefined {
  const pairs = JSON.parse(text) as [number, number][] | null;
  return pairs?.map(([seq, versionIndex]) => ({ seq, versionIndex }));
}
