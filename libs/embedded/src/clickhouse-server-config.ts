import { createHash } from 'node:crypto';

const MIB = 1024 ** 2;
/** How often ClickHouse removes parts that were replaced, so that an erasure is not kept waiting; by default up to 300. */
const CLEANUP_SECONDS = 3;
/**
 * How long ClickHouse keeps parts that were replaced, so that a start can use them again when what replaced them cannot be
 * read. A server of its own keeps them for 480 s, the npm engine by default not at all. Each costs memory.
 */
export const OLD_PARTS_SECONDS = 180;

export interface ServerSettings {
  readonly directory: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly memoryBytes: number;
  /** Space on its disk that ClickHouse leaves free: below it, inserts and merges are refused instead of failing half-way. */
  readonly keepFreeBytes: number;
  /** A second disk for old data: a directory, or the HTTP address of a prefix of a bucket. */
  readonly coldDirectory: string | undefined;
}

/** The policy of a ClickHouse with a cold directory. Its first volume is that of the default policy, as ClickHouse requires. */
export const COLD_POLICY = { policy: 'heddle', coldVolume: 'cold' } as const;

/**
 * The server's own settings: HTTP on loopback only, caches for a machine that does other work too, no logs that grow.
 * ClickHouse's defaults are for a machine of its own: five gigabytes for marks alone.
 */
export function clickHouseServerConfig(settings: ServerSettings, usersFile: string): string {
  const directory = xml(settings.directory);
  return `<clickhouse>
  <logger>
    <level>warning</level>
    <console>1</console>
    <size>10M</size>
    <count>2</count>
  </logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>${settings.port}</http_port>
  <path>${directory}/data/</path>
  <tmp_path>${directory}/tmp/</tmp_path>
  <user_files_path>${directory}/user_files/</user_files_path>
  <format_schema_path>${directory}/format_schemas/</format_schema_path>
  <users_config>${xml(usersFile)}</users_config>
${limits(settings)}
</clickhouse>
`;
}

/** The same for the npm engine, which takes ports, paths and log level as arguments. */
export function npmEngineConfig(settings: ServerSettings, usersFile: string): string {
  return `<clickhouse>
  <logger>
    <size>10M</size>
    <count>2</count>
  </logger>
  <users_config>${xml(usersFile)}</users_config>
${limits(settings)}
</clickhouse>
`;
}

function limits({ memoryBytes, keepFreeBytes, coldDirectory }: ServerSettings): string {
  return `  <max_server_memory_usage>${memoryBytes}</max_server_memory_usage>
  <mark_cache_size>${64 * MIB}</mark_cache_size>
  <index_mark_cache_size>${16 * MIB}</index_mark_cache_size>
  <primary_index_cache_size>${64 * MIB}</primary_index_cache_size>
  <query_condition_cache_size>${16 * MIB}</query_condition_cache_size>
  <compiled_expression_cache_size>${16 * MIB}</compiled_expression_cache_size>
  <concurrent_threads_soft_limit_ratio_to_cores>1</concurrent_threads_soft_limit_ratio_to_cores>
  <background_pool_size>2</background_pool_size>
  <background_schedule_pool_size>2</background_schedule_pool_size>
  <asynchronous_metrics_update_period_s>60</asynchronous_metrics_update_period_s>
  <backups><allowed_path>/</allowed_path></backups>
  <merge_tree>
    <old_parts_lifetime>${OLD_PARTS_SECONDS}</old_parts_lifetime>
    <cleanup_delay_period>${CLEANUP_SECONDS}</cleanup_delay_period>
    <max_cleanup_delay_period>${CLEANUP_SECONDS}</max_cleanup_delay_period>
    <cleanup_delay_period_random_add>0</cleanup_delay_period_random_add>
  </merge_tree>
  <storage_configuration>
    <disks>
      <default><keep_free_space_bytes>${keepFreeBytes}</keep_free_space_bytes></default>${coldDirectory === undefined ? '' : coldDisk(coldDirectory)}
    </disks>${coldDirectory === undefined ? '' : COLD_VOLUMES}
  </storage_configuration>`;
}

const coldDisk = (place: string): string => `
      <cold>${isAddress(place) ? bucketDisk(place) : `<path>${xml(place)}/</path>`}</cold>`;

export const isAddress = (place: string): boolean => /^https?:/.test(place);

/** Few attempts, so that a wrong address ends the start, and a bucket that is unavailable is reported by a query. */
const bucketDisk = (address: string): string =>
  `<type>s3</type><endpoint>${xml(address)}</endpoint><use_environment_credentials>true</use_environment_credentials>` +
  '<retry_attempts>5</retry_attempts>';

/** Parts move by their age alone: a disk that is almost full is reported and not hidden. */
const COLD_VOLUMES = `
    <policies>
      <${COLD_POLICY.policy}>
        <volumes>
          <default><disk>default</disk></default>
          <${COLD_POLICY.coldVolume}><disk>cold</disk></${COLD_POLICY.coldVolume}>
        </volumes>
        <move_factor>0</move_factor>
      </${COLD_POLICY.policy}>
    </policies>`;

/**
 * Our user with its password. The npm engine logs in as `default` without a password to open its ports, so that user has
 * to exist: it may do that and nothing else, and `startupStatements` is all it may execute.
 */
export function clickHouseUsersConfig(
  { username, password }: ServerSettings,
  startupStatements = 0,
): string {
  const hash = createHash('sha256').update(password).digest('hex');
  return `<clickhouse>
  <profiles>
    <default>
      <max_query_size>${256 * MIB}</max_query_size>
      <http_max_field_value_size>${256 * MIB}</http_max_field_value_size>
      <log_queries>0</log_queries>
      <memory_profiler_step>0</memory_profiler_step>
      <output_format_parallel_formatting>0</output_format_parallel_formatting>
      <input_format_parallel_parsing>0</input_format_parallel_parsing>
    </default>
  </profiles>
  <quotas>
    <default/>
    <startup>
      <interval>
        <duration>31536000</duration>
        <queries>${startupStatements}</queries>
      </interval>
    </startup>
  </quotas>
  <users>
    <${xml(username)}>
      <password_sha256_hex>${hash}</password_sha256_hex>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
    </${xml(username)}>${startupStatements > 0 ? STARTUP_USER : ''}
  </users>
</clickhouse>
`;
}

const STARTUP_USER = `
    <default>
      <password></password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>startup</quota>
      <grants><query>GRANT SYSTEM LISTEN ON *.*</query></grants>
    </default>`;

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
