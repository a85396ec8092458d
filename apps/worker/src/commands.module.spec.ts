import { WorkerHost } from '@nestjs/bullmq';
import type { DynamicModule, Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/internal';
import { readConfig } from '@app/config';
import { createLogger } from '@app/observability';
import { CommandsModule } from './commands.module.js';
import { WorkerModule } from './worker.module.js';

type AnyModule = Type | DynamicModule | Promise<DynamicModule>;

/** The classes of all processors that a module provides, itself or by its imports. */
async function processorsOf(module: AnyModule): Promise<string[]> {
  const entry = await module;
  const { imports = [], providers = [] } = 'module' in entry ? entry : {};
  const type = 'module' in entry ? entry.module : entry;
  const listed = (key: string): unknown[] => Reflect.getMetadata(key, type) ?? [];
  const own = [...providers, ...listed(MODULE_METADATA.PROVIDERS)]
    .filter((provider): provider is Type => typeof provider === 'function')
    .filter(({ prototype }) => prototype instanceof WorkerHost);
  const nested = [...imports, ...listed(MODULE_METADATA.IMPORTS)] as AnyModule[];
  const found = await Promise.all(nested.map(processorsOf));
  return [...own.map(({ name }) => name), ...found.flat()];
}

describe('the modules of the worker', () => {
  const config = readConfig({});
  const logger = createLogger('test', 'error');

  it('consume every queue in the worker process', async () => {
    const processors = await processorsOf(WorkerModule.register(config, logger));

    expect(processors.sort()).toEqual([
      'BulkLaneProcessor',
      'FastLaneProcessor',
      'MaintenanceProcessor',
      'RecordsProcessor',
    ]);
  });

  it('consume no queue in a command of the CLI', async () => {
    expect(await processorsOf(CommandsModule.register(config, logger))).toEqual([]);
  });
});
