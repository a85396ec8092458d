import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { bind, sql, Store } from '@app/clickhouse';
import { parsePriceBook, PriceBookError, type PriceBook, type PriceChange } from '@app/pricing';
import { StalePrices } from '@app/queue';
import { CommandsModule, PriceBookWriter, Repricing } from '../../worker/src/commands.module.js';
import { recordAction } from './audit.command.js';
import {
  JSON_OPTION,
  progressLine,
  report,
  say,
  UsageError,
  withModule,
  type JsonOption,
} from './context.js';
import { whatIfCommand } from './what-if.command.js';

const register = CommandsModule.register.bind(CommandsModule);
const SHOWN = 50;

export function pricesCommand(): Command {
  return new Command('prices')
    .description('import default prices of models, and preview a price')
    .addCommand(importCommand())
    .addCommand(whatIfCommand())
    .addCommand(refreshCommand());
}

interface ImportOptions extends JsonOption {
  readonly preview?: boolean;
  readonly force?: boolean;
}

function importCommand(): Command {
  return new Command('import')
    .description('show how a price book changes the default prices, and store it')
    .argument('<file>', 'a price book: see docs/operations/prices.md')
    .option('--preview', 'only show the changes')
    .option('--force', 'store prices that change more than tenfold')
    .option(...JSON_OPTION)
    .action(async (file: string, options: ImportOptions) => {
      const book = bookIn(file);
      await withModule(register, async (context) => {
        const writer = context.get(PriceBookWriter);
        const changes = await writer.changes(book);
        if (!options.json) for (const line of linesOf(book, changes)) say(line);
        const { source, effectiveDate } = book;
        const result = { source, effective_from: effectiveDate, changes };
        if (options.preview || changes.length === 0)
          return report(options, { ...result, stored: 0 }, []);
        const jumps = changes.filter((change) => change.jumps.length > 0);
        if (jumps.length > 0 && !options.force) {
          throw new UsageError(
            `Nothing was stored: ${jumps.length} prices change more than tenfold (marked !). If they are right, add --force.`,
          );
        }
        await recordAction({
          action: 'prices.import',
          projectId: '',
          detail: { source: book.source, from: book.effectiveDate, prices: changes.length },
        });
        await writer.write(book, changes);
        const models = changes.map(({ after }) => after.llmId);
        await context.get(StalePrices).mark(await projectsUsing(context.get(Store), models));
        report(options, { ...result, stored: changes.length }, [
          `Stored ${changes.length} prices, effective from ${effectiveDate}.`,
        ]);
      });
    });
}

/** The projects whose calls use these models. Their stored costs are stale. */
async function projectsUsing(store: Store, models: readonly string[]): Promise<string[]> {
  const rows = await store.rows<{ project_id: string }>(
    sql`SELECT DISTINCT project_id FROM calls WHERE hasAny(usage_model, ${bind('Array(String)', models)})`,
  );
  return rows.map(({ project_id }) => project_id);
}

function bookIn(file: string): PriceBook {
  try {
    return parsePriceBook(readFileSync(file, 'utf8'));
  } catch (error) {
    const isKnown = error instanceof PriceBookError || error instanceof SyntaxError;
    const reason = isKnown ? error.message : (error as NodeJS.ErrnoException).code;
    throw new UsageError(`${file} is not a price book: ${reason}.`);
  }
}

function linesOf({ source }: PriceBook, changes: readonly PriceChange[]): string[] {
  const added = changes.filter(({ before }) => before === undefined).length;
  const listed = [...changes].sort((a, b) => b.jumps.length - a.jumps.length).slice(0, SHOWN);
  return [
    `${source}: ${added} new models, ${changes.length - added} changed prices.`,
    ...listed.map(({ before, after, jumps }) => {
      const mark = jumps.length > 0 ? '!' : before ? '~' : '+';
      const old = before ? `${figures(before)} → ` : '';
      return `${mark} ${after.llmId}  ${old}${figures(after)}`;
    }),
    ...(changes.length > SHOWN ? [`… and ${changes.length - SHOWN} more.`] : []),
  ];
}

const figures = (price: PriceChange['after']) =>
  [price.prompt, price.completion, price.cacheRead, price.cacheWrite].join(' / ');

function refreshCommand(): Command {
  return new Command('refresh')
    .description("recompute the stored costs of a project's calls with the current prices")
    .argument('<entity/project>')
    .option(...JSON_OPTION)
    .action(async (projectId: string, options: JsonOption) => {
      let calls = 0;
      const show = progressLine('calls refreshed');
      await recordAction({ action: 'prices.refresh', projectId, detail: {} });
      await withModule(register, async (context) => {
        for await (const { done, total } of context.get(Repricing).reprice(projectId)) {
          show(done, total);
          calls = done;
        }
      });
      report(options, { project: projectId, calls }, [
        `Recomputed the costs of ${projectId} with the current prices.`,
      ]);
    });
}
