import { Command } from 'commander';
import { connectStore } from '@app/clickhouse';
import type { Config } from '@app/config';
import {
  commandConfig,
  JSON_OPTION,
  report,
  requireClickHouse,
  withRedis,
  type JsonOption,
} from './context.js';
import {
  checked,
  clickHouseState,
  clocks,
  disks,
  nodeVersion,
  permissions,
  redisState,
  storage,
  type Finding,
} from './doctor.checks.js';

export function doctorCommand(): Command {
  return new Command('doctor')
    .description(
      'check settings, versions, durability, clocks, disks and permissions; exit code 1 on a problem',
    )
    .option(...JSON_OPTION)
    .action(async (options: JsonOption) => {
      const findings = await examine();
      const lines = findings.map(
        ({ check, state, message }) => `${state.padEnd(8)} ${check.padEnd(12)} ${message}`,
      );
      report(options, { findings }, lines);
      if (findings.some(({ state }) => state === 'problem')) process.exitCode = 1;
    });
}

async function examine(): Promise<Finding[]> {
  let config: Config | undefined;
  const settings = await checked('settings', async () => {
    config = commandConfig();
    return { check: 'settings', state: 'ok', message: 'All settings are valid.' };
  });
  const findings = [nodeVersion(process.version), ...settings];
  if (config === undefined) return findings;
  findings.push(...(await permissions(config.dataDir)));
  return [...findings, ...(await examineStores(config))];
}

async function examineStores(config: Config): Promise<Finding[]> {
  const findings: Finding[] = [];
  const store = connectStore(config.clickhouse, 'cli');
  try {
    const clickhouse = await checked('clickhouse', async () => {
      await requireClickHouse(config);
      return clickHouseState(store);
    });
    const redis = await checked('redis', () =>
      withRedis(async (connection) => {
        const state = await redisState(connection, config);
        if (!isReachable(clickhouse)) return state;
        return [...state, ...(await checked('clocks', () => clocks(connection, store)))];
      }, config),
    );
    findings.push(...redis, ...clickhouse);
    if (isReachable(clickhouse))
      findings.push(
        ...(await checked('disk', () => disks(store, config))),
        ...(await checked('storage', () => storage(store, config))),
      );
  } finally {
    await store.close();
  }
  return findings;
}

const isReachable = ([first]: readonly Finding[]): boolean => first?.state === 'ok';
