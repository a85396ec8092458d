export interface RedisSettings {
  readonly directory: string;
  readonly port: number;
  readonly password: string;
  readonly maxMemoryBytes: number;
}

/** Redis acknowledges a write after it is on disk, and refuses writes when memory is full instead of evicting keys. */
export function redisConfig(settings: RedisSettings): string {
  const lines = [
    ['bind', '127.0.0.1'],
    ['port', String(settings.port)],
    ['protected-mode', 'yes'],
    ['requirepass', settings.password],
    ['dir', settings.directory],
    ['daemonize', 'no'],
    ['appendonly', 'yes'],
    ['appendfsync', 'always'],
    ['aof-load-truncated', 'yes'],
    ['auto-aof-rewrite-min-size', '1gb'],
    ['save', ''],
    ['maxmemory', String(settings.maxMemoryBytes)],
    ['maxmemory-policy', 'noeviction'],
    ['tcp-backlog', '128'],
    ['always-show-logo', 'no'],
  ];
  return lines.map(([name, value]) => `${name} ${quoted(value ?? '')}\n`).join('');
}

function quoted(value: string): string {
  return `"${value.replace(/[\\"]/g, '\\$&')}"`;
}
