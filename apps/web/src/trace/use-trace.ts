import { useEffect, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { jsonLinesOf, send } from '../api/client.js';
import { readPreviews } from '../api/previews.js';
import type { TreeBlock, TreeHeader } from '../api/types.js';
import { buildTree, isRunning, isSettling, SETTLING_MS, type TraceTree } from './trace-tree.js';

/** How often a trace that runs, or is not there yet, is read again. */
const RUNNING_REFRESH_MS = 2_000;
/** And one that has ended and may still lack calls, when it has not changed for a while. */
const SETTLING_REFRESH_MAX_MS = 30_000;

/** The cached trace id of a call. A call that is selected in a loaded trace is known to belong to it. */
export const traceIdKey = (projectId: string, callId: string | undefined) => [
  'trace-of',
  projectId,
  callId,
];

/** The trace of a call. The preview reads no payload, however large it is. */
export function useTraceIdOf(projectId: string, callId: string | undefined) {
  return useQuery<string | null>({
    queryKey: traceIdKey(projectId, callId),
    enabled: callId !== undefined,
    staleTime: Infinity,
    // The link of a call may be opened before its SDK has sent the call.
    refetchInterval: ({ state }) => (state.data === null ? RUNNING_REFRESH_MS : false),
    queryFn: async ({ signal }) => {
      const body = {
        project_id: projectId,
        filter: { call_ids: [callId] },
        limit: 1,
      };
      const { calls } = await readPreviews({ ...body, characters: 1 }, false, signal);
      return calls[0]?.trace_id ?? null;
    },
  });
}

export interface LoadingTree {
  readonly tree: TraceTree | undefined;
  readonly isComplete: boolean;
  readonly error: unknown;
}

/** How often the tree is built again while its calls arrive. */
const REBUILD_MS = 300;

/** Reads a trace and shows its calls as they arrive. A trace that runs, or may lack calls, is read again. */
export function useTree(projectId: string, traceId: string | undefined): LoadingTree {
  const [state, setState] = useState<LoadingTree>(NOTHING);
  useEffect(() => {
    if (traceId === undefined) return;
    const abort = new AbortController();
    setState(NOTHING);
    void load(projectId, traceId, setState, abort.signal);
    return () => abort.abort();
  }, [projectId, traceId]);
  return state;
}

const NOTHING: LoadingTree = { tree: undefined, isComplete: false, error: undefined };

async function load(
  projectId: string,
  traceId: string,
  show: (change: (before: LoadingTree) => LoadingTree) => void,
  signal: AbortSignal,
): Promise<void> {
  const since = Date.now();
  let isFirst = true;
  let count = 0;
  let wait = RUNNING_REFRESH_MS;
  while (!signal.aborted) {
    try {
      const onPart = (tree: TraceTree) => {
        if (isFirst) show(() => ({ tree, isComplete: false, error: undefined }));
      };
      const { tree, isPending } = await readTree(projectId, traceId, onPart, signal);
      const mayLack = isPending && Date.now() - since < SETTLING_MS;
      // A trace without a call is shown as missing, and appears when it arrives.
      show(() => ({ tree, isComplete: !mayLack || tree.count === 0, error: undefined }));
      const isQuiet = tree.count > 0 && !isRunning(tree);
      if (isQuiet && !mayLack && !isSettling(tree, Date.now())) return;
      const isUnchanged = !isFirst && isQuiet && tree.count === count;
      wait = isUnchanged ? Math.min(2 * wait, SETTLING_REFRESH_MAX_MS) : RUNNING_REFRESH_MS;
      count = tree.count;
      isFirst = false;
    } catch (error) {
      if (signal.aborted) return;
      // A trace that is shown stays while the server restarts, and is read again.
      if (isFirst) {
        show((before) => ({ ...before, isComplete: true, error }));
        return;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

async function readTree(
  projectId: string,
  traceId: string,
  onPart: (tree: TraceTree) => void,
  signal: AbortSignal,
): Promise<{ readonly tree: TraceTree; readonly isPending: boolean }> {
  const body = { project_id: projectId, trace_id: traceId };
  const response = await send('/trace/tree', { body, signal });
  // Writes of this user that the read did not wait for any longer. Some may belong to this trace; a user who writes all the
  // time always has some.
  const isPending = Number(response.headers.get('x-heddle-pending')) > 0;
  let header: TreeHeader | undefined;
  const blocks: TreeBlock[] = [];
  let shownAt = -Infinity;
  for await (const line of jsonLinesOf<TreeHeader | TreeBlock>(response)) {
    if (header === undefined) {
      header = line as TreeHeader;
      continue;
    }
    blocks.push(line as TreeBlock);
    if (performance.now() - shownAt < REBUILD_MS) continue;
    onPart(buildTree(header, blocks));
    shownAt = performance.now();
  }
  if (header === undefined) throw new Error('The server sent no trace.');
  return { tree: buildTree(header, blocks), isPending };
}
