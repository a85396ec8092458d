import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import { requireSpace } from './disk-space.js';
import type { Topology } from './topology.js';

/** How long ClickHouse waits for the nodes of a cluster. A node that has not begun by then is most likely unavailable. */
const NODES_WITHIN_SECONDS = '180';

/** Statements that only remove or rename files. */
const NEEDS_NO_SPACE =
  /^\s*(DROP|TRUNCATE|EXCHANGE|RENAME|SYSTEM)\b|\bDROP (DETACHED )?(PART|PARTITION)\b/i;

interface Statement {
  readonly query: string;
  readonly query_params?: Record<string, unknown>;
}

/** What one node of a cluster made of a statement, as ClickHouse reports it. */
export interface NodeResult {
  readonly host: string;
  readonly port: number;
  /** 0 when the node has executed the statement, null when it has not finished, otherwise the code of its error. */
  readonly status: number | string | null;
  readonly error: string;
}

/**
 * Executes a statement that changes tables. On a cluster it runs on every node; when a node fails or does not finish in time,
 * the error names each such node.
 */
export async function executeDdl(
  client: ClickHouseClient,
  topology: Topology,
  { query, query_params = {} }: Statement,
  settings: ClickHouseSettings = {},
): Promise<void> {
  if (!NEEDS_NO_SPACE.test(query)) await requireSpace({ client, topology });
  if (topology.kind === 'single') {
    await client.command({ query, query_params, clickhouse_settings: settings });
    return;
  }
  const result = await client.query({
    query,
    query_params,
    format: 'JSONEachRow',
    clickhouse_settings: {
      ...settings,
      // The default mode throws the error of one node, or a number of nodes without their names.
      distributed_ddl_output_mode: 'never_throw',
      distributed_ddl_task_timeout: NODES_WITHIN_SECONDS,
    },
  });
  const problem = unfinishedNodes(await result.json<NodeResult>());
  if (problem !== undefined) throw new Error(problem);
}

/** A sentence with every node that has not executed the statement; undefined when all have. */
export function unfinishedNodes(results: readonly NodeResult[]): string | undefined {
  const nodes = results.filter(({ status }) => status === null || Number(status) !== 0);
  if (nodes.length === 0) return undefined;
  const each = nodes.map(({ host, port, status, error }) =>
    status === null ? `${host}:${port} has not finished it` : `${host}:${port} failed: ${error}`,
  );
  return (
    `${nodes.length} of ${results.length} nodes have not executed a statement (${each.join('; ')}). ` +
    `ClickHouse repeats it on a node that was unavailable; system.distributed_ddl_queue shows its state.`
  );
}
