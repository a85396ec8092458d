import { readFileSync } from 'node:fs';
import { configReference } from './config-reference.js';
import { readConfig, statementsFor } from './read-config.js';

describe('the configuration', () => {
  it('works without any variable', () => {
    expect(readConfig({})).toMatchObject({
      server: { host: '127.0.0.1', port: 0, bodyMaxBytes: 33_554_432 },
      logLevel: 'info',
      dataDir: 'data',
      auth: { apiKey: '', user: 'admin' },
    });
  });

  it('reads set variables, and treats an empty value as not set', () => {
    const config = readConfig({ PORT: '9000', HOST: '', CLICKHOUSE_URL: 'https://ch:8443' });

    expect(config.server).toMatchObject({ port: 9000, host: '127.0.0.1' });
    expect(config.clickhouse.url).toBe('https://ch:8443');
  });

  it('reports every problem at once, each with its name and value', () => {
    const env = { PORT: 'eighty', LOG_LEVEL: 'loud', REDIS_URL: 'localhost', HEDDLE_APIKEY: 'x' };

    expect(() => readConfig(env)).toThrow(
      /HEDDLE_APIKEY is not a setting[^]*PORT must be an integer 0–65535, not "eighty"[^]*LOG_LEVEL must be one of[^]*REDIS_URL must be a URL/,
    );
  });

  it('reads a list of Sentinels, and refuses one without a port', () => {
    const sentinelsOf = (text: string) => readConfig({ REDIS_SENTINELS: text }).redis.sentinels;

    expect(sentinelsOf('a.example:26379, [::1]:26380')).toEqual([
      { host: 'a.example', port: 26379 },
      { host: '::1', port: 26380 },
    ]);
    expect(sentinelsOf('')).toEqual([]);
    for (const text of ['a.example', 'redis://a:1', 'a:1,,b:2', 'a:99999', 'key@a:1']) {
      expect(() => sentinelsOf(text)).toThrow(/REDIS_SENTINELS must be a list of host:port/);
    }
  });

  it('reads how Heddle traces itself, and refuses what a request would refuse', () => {
    const tracing = (env: Record<string, string>) => readConfig(env).tracing;

    expect(tracing({})).toEqual({ url: '', sampleRatio: 1, headers: {} });
    expect(
      tracing({
        TRACING_URL: 'http://c:4318/v1/traces',
        TRACING_SAMPLE_RATIO: '0.05',
        TRACING_HEADERS: 'Authorization=Basic%20a%3D%3D, project_id=acme/heddle,empty=',
      }),
    ).toEqual({
      url: 'http://c:4318/v1/traces',
      sampleRatio: 0.05,
      headers: { authorization: 'Basic a==', project_id: 'acme/heddle', empty: '' },
    });
    for (const ratio of ['1.1', '-1', 'half', '1e-3', '.', 'NaN'])
      expect(() => tracing({ TRACING_SAMPLE_RATIO: ratio })).toThrow(/must be a number 0–1/);
    for (const headers of ['secret', 'a b=c', 'a=%', 'a=b%0d%0ac', 'a=b,,c=d'])
      expect(() => tracing({ TRACING_HEADERS: headers })).toThrow(
        /TRACING_HEADERS must be a list of `name=value`.*percent-encoded values$/m,
      );
    expect(() => tracing({ TRACING_URL: 'http://me:secret@c/v1/traces' })).toThrow(
      /TRACING_URL must have no user and password; set TRACING_HEADERS$/m,
    );
  });

  it('reads where old data is stored, and refuses a name that is not one', () => {
    const storage = (env: Record<string, string>) => readConfig(env).storage;

    expect(storage({})).toEqual({ policy: '', coldVolume: 'cold', coldAfterDays: 30, coldDir: '' });
    expect(
      storage({ CLICKHOUSE_STORAGE_POLICY: 'tiered', COLD_VOLUME: 's3', COLD_AFTER_DAYS: '7' }),
    ).toMatchObject({ policy: 'tiered', coldVolume: 's3', coldAfterDays: 7 });
    expect(() => storage({ COLD_VOLUME: "a' TO" })).toThrow(
      /COLD_VOLUME must be characters of a–z, A–Z, 0–9 and _/,
    );
    expect(() => storage({ COLD_DIR: '/cold', CLICKHOUSE_URL: 'http://c:8123' })).toThrow(
      /COLD_DIR is for the embedded ClickHouse/,
    );
  });

  it('reads the groups of an OpenID Connect issuer, and refuses an incomplete or unsafe login', () => {
    const complete = {
      OIDC_ISSUER: 'https://login.example.com/realms/acme',
      OIDC_CLIENT_ID: 'heddle',
      OIDC_GRANTS: 'cn=ml=write@acme/demo, sre=admin@*',
      PUBLIC_URL: 'https://traces.example.com/',
    };
    const openIdWith = (env: Record<string, string>) =>
      readConfig({ ...complete, ...env }).query.openId;

    expect(readConfig({}).query.openId).toBeUndefined();
    expect(openIdWith({})).toMatchObject({
      name: 'login.example.com',
      publicUrl: 'https://traces.example.com',
      grants: [
        { group: 'cn=ml', role: 'write', scope: 'acme/demo' },
        { group: 'sre', role: 'admin', scope: '*' },
      ],
    });
    expect(() => openIdWith({ OIDC_CLIENT_ID: '', OIDC_GRANTS: '', PUBLIC_URL: '' })).toThrow(
      /OIDC_CLIENT_ID must be set[^]*PUBLIC_URL must be set[^]*OIDC_GRANTS must name/,
    );
    expect(() => openIdWith({ PUBLIC_URL: 'https://a.example/page' })).toThrow(/have a path/);
    expect(() => openIdWith({ OIDC_ISSUER: 'http://login.example.com' })).toThrow(/https/);
    for (const grants of ['ml', 'ml=write', 'ml=root@*', 'ml=write@a/b/c', 'ml=read@*,,']) {
      expect(() => openIdWith({ OIDC_GRANTS: grants })).toThrow(/OIDC_GRANTS must be a list of/);
    }
  });

  it('refuses a client certificate without its key', () => {
    expect(() => readConfig({ REDIS_CERT_FILE: 'a.pem', CLICKHOUSE_KEY_FILE: 'b.pem' })).toThrow(
      /REDIS_CERT_FILE and REDIS_KEY_FILE must be set together[^]*CLICKHOUSE_CERT_FILE and CLICKHOUSE_KEY_FILE must be/,
    );
  });

  it('never shows a secret', () => {
    const attempt = () => readConfig({ PORT: 'x', CLICKHOUSE_PASSWORD: 'hunter2' });

    expect(attempt).toThrow(/PORT/);
    expect(attempt).not.toThrow(/hunter2/);
  });

  it('shows the host of a wrong URL, and neither its password nor its parameters', () => {
    const messageFor = (env: Record<string, string>): string => {
      try {
        readConfig(env);
      } catch (error) {
        return (error as Error).message;
      }
      return 'accepted';
    };
    const wrong: [name: string, value: string, shown: string][] = [
      ['REDIS_URL', 'http://ann:hunter2@redis.example:6379/0', '"http://***@redis.example:6379"'],
      ['REDIS_URL', 'redis://:hun#ter2@redis.example:6379', '"redis://***@redis.example:6379"'],
      ['REDIS_URL', 'redis://:x@hunter2/a@redis.example', '"redis://***@redis.example"'],
      ['REDIS_URL', 'redis//:hunter2@redis.example', 'URL starting with'],
      ['CLICKHOUSE_URL', 'ftp://ch:1/?user=a@b&password=hunter2', '"ftp://***@b"'],
      ['CLICKHOUSE_URL', 'tcp://ch:9000?password=hunter2', '"tcp://ch:9000"'],
      ['FILES_S3_URL', 's3://id:hunter2@bucket.example', '"s3://***@bucket.example"'],
      ['REDIS_SENTINELS', 'redis://:hunter2@one:26379', 'host:port'],
    ];

    for (const [name, value, shown] of wrong) {
      const message = messageFor({ [name]: value });
      expect(message).toContain(name);
      expect(message).toContain(shown);
      expect(message).not.toMatch(/hun|ter2/);
    }
  });

  it('accepts a URL whose password is percent-encoded', () => {
    const url = 'redis://:a%40b%2Fc@redis.example:6379/1';

    expect(readConfig({ REDIS_URL: url }).redis.url).toBe(url);
  });

  it.each([
    [1, 8],
    [2, 8],
    [4, 16],
    [64, 24],
  ])('has for %d cores %d statements of reads at the same time', (cores, statements) => {
    expect(statementsFor(cores)).toBe(statements);
  });

  it('is documented completely', () => {
    expect(readFileSync('docs/reference/configuration.md', 'utf8')).toBe(configReference());
  });
});
