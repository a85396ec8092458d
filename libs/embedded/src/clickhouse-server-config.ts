import { createHash } from 'node:crypto';

const MIB = 1024 ** 2;

export interface ServerSettings {
  readonly directory: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly memoryBytes: number;
}

/** Configuration of `clickhouse server`: HTTP on loopback only, one user, no growing logs. */
export function clickHouseServerConfig(settings: ServerSettings): string {
  const directory = xml(settings.directory);
  const username = xml(settings.username);
  const hash = createHash('sha256').update(settings.password).digest('hex');
  return `<clickhouse>
  <logger>
    <level>warning</level>
    <console>1</console>
  </logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>${settings.port}</http_port>
  <path>${directory}/data/</path>
  <tmp_path>${directory}/tmp/</tmp_path>
  <user_files_path>${directory}/user_files/</user_files_path>
  <format_schema_path>${directory}/format_schemas/</format_schema_path>
  <max_server_memory_usage>${settings.memoryBytes}</max_server_memory_usage>
  <mark_cache_size>${64 * MIB}</mark_cache_size>
  <index_mark_cache_size>${16 * MIB}</index_mark_cache_size>
  <primary_index_cache_size>${64 * MIB}</primary_index_cache_size>
  <background_pool_size>2</background_pool_size>
  <users>
    <${username}>
      <password_sha256_hex>${hash}</password_sha256_hex>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
    </${username}>
  </users>
  <profiles>
    <default>
      <max_query_size>${256 * MIB}</max_query_size>
      <log_queries>0</log_queries>
    </default>
  </profiles>
  <quotas><default/></quotas>
</clickhouse>
`;
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
