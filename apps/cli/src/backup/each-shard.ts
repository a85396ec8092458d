import type { Store } from '@app/clickhouse';

/** Runs `work` for all shards at the same time. When it fails for one, it is aborted for the others; resolves when all have ended. */
export async function onEachShard(
  nodes: readonly Store[],
  signal: AbortSignal,
  work: (node: Store, shard: number, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const until = AbortSignal.any([signal, failed.signal]);
  await Promise.allSettled(
    nodes.map((node, shard) =>
      work(node, shard, until).catch((error: unknown) => failed.abort(error)),
    ),
  );
  failed.signal.throwIfAborted();
}
