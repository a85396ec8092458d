import { Command } from 'commander';
import { Store } from '@app/clickhouse';
import {
  PriceList,
  priceOf,
  pricesFor,
  whatIf,
  whatIfOf,
  type Price,
  type StoredPrice,
  type WhatIfModel,
  type WhatIfRow,
} from '@app/pricing';
import { micros, microsOf, millis } from '@app/wire';
import { CommandsModule } from '../../worker/src/commands.module.js';
import {
  JSON_OPTION,
  report,
  timeOption,
  UsageError,
  withModule,
  type JsonOption,
} from './context.js';

interface Options extends JsonOption {
  readonly project: string;
  readonly model: string;
  readonly input: string;
  readonly output: string;
  readonly cacheRead?: string;
  readonly cacheWrite?: string;
  readonly effective?: string;
  readonly from?: string;
}

export function whatIfCommand(): Command {
  return new Command('what-if')
    .description("show how a project's price would change costs, before it is saved")
    .requiredOption('--project <entity/project>', 'the project of the calls')
    .requiredOption('--model <name>', 'the name of the model in summary.usage')
    .requiredOption('--input <price>', 'per token, such as 0.0000025')
    .requiredOption('--output <price>', 'per token')
    .option('--cache-read <price>', 'per token; 0 when absent')
    .option('--cache-write <price>', 'per token; 0 when absent')
    .option(
      '--effective <time>',
      'when the price takes effect; without it the price replaces all others',
    )
    .option('--from <time>', 'only calls that started at or after this time')
    .option(...JSON_OPTION)
    .action(async (options: Options) => {
      const proposed = priceIn(options);
      const from = options.from === undefined ? millis(0) : timeOption(options.from);
      const register = CommandsModule.register.bind(CommandsModule);
      const rows = await withModule(register, async (context) => {
        const store = context.get(Store);
        const stored = await store.rows<StoredPrice>(pricesFor(options.project, [options.model]));
        const prices = stored.map(priceOf);
        // Without a date the proposed price replaces all others for all time.
        const others = options.effective === undefined ? [] : prices;
        const lists = [new PriceList(prices), new PriceList([...others, proposed])] as const;
        const time = { projectId: options.project, from, to: millis(Date.now() + 1) };
        return store.rows<WhatIfRow>(whatIf({ ...time, since: undefined }, [options.model], lists));
      });
      const [{ calls, costs }] = whatIfOf(rows, [options.model]).models as [WhatIfModel];
      const { cost_now: now, would_cost: then, difference: change } = costs[0] ?? NOTHING;
      report(options, { calls, now, then, change, costs }, [
        `${calls} calls of ${options.model} in ${options.project}`,
        ...(costs.length > 0 ? costs : [NOTHING]).flatMap((cost) => [
          `now    ${cost.cost_now}`,
          `then   ${cost.would_cost}`,
          `change ${cost.difference.startsWith('-') || cost.difference === '0' ? '' : '+'}${cost.difference}`,
          ...(costs.length > 1 ? [`in ${cost.unit}`] : []),
        ]),
      ]);
    });
}

const NOTHING = { unit: 'USD', cost_now: '0', would_cost: '0', difference: '0' };

function priceIn(options: Options): Price {
  const decimal = (name: string, text = '0') => {
    if (/^\d{1,7}(\.\d{1,18})?$/.test(text)) return text;
    throw new UsageError(`${name} must be a price per token such as 0.0000025, not ${text}.`);
  };
  return {
    id: 'proposed',
    level: 'project',
    levelId: options.project,
    llmId: options.model,
    providerId: '',
    effectiveDate: microsOf(
      options.effective === undefined ? millis(0) : timeOption(options.effective),
    ),
    prompt: decimal('--input', options.input),
    completion: decimal('--output', options.output),
    cacheRead: decimal('--cache-read', options.cacheRead),
    cacheWrite: decimal('--cache-write', options.cacheWrite),
    promptUnit: 'USD',
    completionUnit: 'USD',
    createdBy: '',
    createdAt: micros(Number.MAX_SAFE_INTEGER),
  };
}
