import { commandConfig, UsageError } from '../context.js';

export const NODES_OPTION = [
  '--nodes <urls>',
  'of a cluster: the HTTP address of one node of every shard, separated by commas; by default the hosts in system.clusters at the port of CLICKHOUSE_URL',
] as const;

export function nodeUrls({ nodes }: { readonly nodes?: string }): string[] {
  if (nodes === undefined) return [];
  if (commandConfig().clickhouse.cluster === '')
    throw new UsageError(
      '--nodes is of a cluster, and CLICKHOUSE_CLUSTER names none; a single server is the one of CLICKHOUSE_URL or DATA_DIR.',
    );
  const urls = nodes.split(',').map((url) => url.trim());
  const invalid = urls.find((url) => !/^https?:\/\/[^/]/.test(url) || !URL.canParse(url));
  if (invalid !== undefined)
    throw new UsageError(
      `--nodes has ${invalid.slice(0, 100) || 'an empty address'}; give addresses such as http://ch-1:8123.`,
    );
  return urls;
}
