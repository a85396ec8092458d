import { freeText } from '@app/query-language/text';
import { useEffect, useMemo, useState } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { postLines } from '../api/client.js';
import { matchesIn, type TraceTree } from './trace-tree.js';

const TYPING_MS = 300;
/** Shorter texts are found in names only. */
const PAYLOAD_TEXT_MIN = 3;
const FOUND_MAX = 1000;

/** Rows with this text in their name, inputs or output. The server searches the payloads. */
export function useFind(projectId: string, tree: TraceTree, text: string): ReadonlySet<number> {
  const { trace_id } = tree.header;
  const wanted = useSettled(text.trim());
  const { data } = useQuery({
    queryKey: ['find in trace', projectId, trace_id, wanted],
    enabled: wanted.length >= PAYLOAD_TEXT_MIN,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const body = {
        project_id: projectId,
        filter: { trace_ids: [trace_id] },
        query: { $expr: freeText(wanted) },
        columns: ['id'],
        limit: FOUND_MAX,
      };
      const ids: string[] = [];
      for await (const { id } of postLines<{ id: string }>('/calls/stream_query', body, signal)) {
        ids.push(id);
      }
      return ids;
    },
  });
  return useMemo(() => {
    const isSearched = text.trim().length >= PAYLOAD_TEXT_MIN;
    const inPayload = new Set(isSearched ? data : []);
    const rows = [...matchesIn(tree, text)];
    if (inPayload.size > 0) tree.ids.forEach((id, row) => inPayload.has(id) && rows.push(row));
    return new Set(rows);
  }, [tree, text, data]);
}

/** The text once typing has stopped. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
