import type { DatasetSource, DatasetSourcesLinkRequest } from '@app/contracts';
import type { DatasetSourceLinked, DatasetSourceUnlinked } from '@app/events';
import { ProblemError } from '@app/http';
import { micros } from '@app/wire';
import { uuidOf } from '../ids.js';
import { NO_BODY, type RecordContext } from '../record-facts.js';
import type { StoredSource } from './sources.reader.js';

const LINKS_MAX = 1000;

/** One row and one of its sources. */
export interface FlatLink {
  readonly rowDigest: string;
  readonly source: DatasetSource;
  readonly metadata: object | null;
}

/** One link per row and source, in the order of the request. */
export function flatLinks({ links }: DatasetSourcesLinkRequest): FlatLink[] {
  const count = links.reduce((sum, { sources }) => sum + sources.length, 0);
  if (count > LINKS_MAX) {
    const reason = `At most ${LINKS_MAX} links can be added at once, not ${count}.`;
    throw new ProblemError('too_many_ids', reason);
  }
  return links.flatMap(({ row_digest, sources, link_metadata }) =>
    sources.map((source) => {
      requireNoTrace(source);
      return { rowDigest: row_digest, source, metadata: link_metadata ?? null };
    }),
  );
}

function requireNoTrace({ source_kind, source_trace_id }: DatasetSource): void {
  if (source_kind !== 'conversation' || source_trace_id === '') return;
  const reason = 'A conversation may have many traces, so its source_trace_id must be empty.';
  throw new ProblemError('invalid_request', reason);
}

export function linkedFact(
  datasetId: string,
  { rowDigest, source, metadata }: FlatLink,
  stored: StoredSource | undefined,
  context: RecordContext,
): DatasetSourceLinked {
  const { source_kind: kind, source_id: sourceId } = source;
  const traceId = stored?.trace_id ?? '';
  return {
    type: 'DatasetSourceLinked',
    ...context,
    data: {
      id: uuidOf(context.projectId, datasetId, rowDigest, kind, sourceId, traceId, 'source'),
      ...{ datasetId, rowDigest, kind, sourceId, traceId },
      startedAt: stored ? micros(Number(stored.started)) : context.receivedAt,
      displayName: stored?.name ?? sourceId,
    },
    body: metadata === null ? NO_BODY : Buffer.from(JSON.stringify(metadata)),
  };
}

export const unlinkedFact = (
  id: string,
  datasetId: string,
  context: RecordContext,
): DatasetSourceUnlinked => ({
  type: 'DatasetSourceUnlinked',
  ...context,
  data: { id, datasetId },
  body: NO_BODY,
});
