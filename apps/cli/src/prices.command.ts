import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { bind, sql, Store } from '@app/clickhouse';
import { parsePriceBook, PriceBookError, type PriceBook, type PriceChange } from '@app/pricing';
import {
  CommandsModule,
  PriceBookWriter,
  Repricing,
  StalePrices,
} from '../../worker/src/commands.module.js';
import { recordAction } from './audit.command.js';
import { progressLine, say, UsageError, withModule } from './context.js';
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

function importCommand(): Command {
  return new Command('import')
    .description('show how a price book changes the default prices, and store it')
    .argument('<file>', 'a price book: see docs/operations/prices.md')
    .option('--preview', 'only show the changes')
    .option('--force', 'store prices that change more than tenfold')
    .action(async (file: string, options: { preview?: boolean; force?: boolean }) => {
      const book = bookIn(file);
      await withModule(register, async (context) => {
        const writer = context.get(PriceBookWriter);
        const changes = await writer.changes(book);
        show(book, changes);
        if (options.preview || changes.length === 0) return;
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
        say(`Stored ${changes.length} prices, effective from ${book.effectiveDate}.`);
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

function show({ source }: PriceBook, changes: readonly PriceChange[]): void {
  const added = changes.filter(({ before }) => before === undefined).length;
  say(`${source}: ${added} new models, ${changes.length - added} changed prices.`);
  const listed = [...changes].sort((a, b) => b.jumps.length - a.jumps.length).slice(0, SHOWN);
  for (const { before, after, jumps } of listed) {
    const mark = jumps.length > 0 ? '!' : before ? '~' : '+';
    const old = before ? `${figures(before)} → ` : '';
    say(`${mark} ${after.llmId}  ${old}${figures(after)}`);
  }
  if (changes.length > SHOWN) say(`… and ${changes.length - SHOWN} more.`);
}

const figures = (price: PriceChange['after']) =>
  [price.prompt, price.completion, price.cacheRead, price.cacheWrite].join(' / ');

function refreshCommand(): Command {
  return new Command('refresh')
    .description("recompute the stored costs of a project's calls with the current prices")
    .argument('<entity/project>')
    .action(async (projectId: string) => {
      const show = progressLine('calls refreshed');
      await recordAction({ action: 'prices.refresh', projectId, detail: {} });
      await withModule(register, async (context) => {
        for await (const { done, total } of context.get(Repricing).reprice(projectId)) {
          show(done, total);
        }
      });
      say(`Recomputed the costs of ${projectId} with the current prices.`);
    });
}
