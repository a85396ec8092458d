import { randomUUID } from 'node:crypto';
import { Command, Option } from 'commander';
import {
  ALERT_KINDS,
  alertMessage,
  AlertStore,
  changedRule,
  newRule,
  shownWebhook,
  WebhookAddresses,
  WebhookSender,
  type AlertKind,
  type AlertRule,
  type AlertStatus,
} from '@app/alerts';
import { PROJECT_ID } from '@app/contracts';
import { nowMillis, type Millis } from '@app/wire';
import { recordAction } from './audit.command.js';
import {
  JSON_OPTION,
  operator,
  positiveOption,
  report,
  UsageError,
  withRedis,
  type JsonOption,
} from './context.js';

interface CreateOptions extends JsonOption {
  readonly name: string;
  readonly kind: AlertKind;
  readonly threshold?: number;
  readonly percentile?: number;
  readonly minutes?: number;
  readonly op?: string;
  readonly webhook?: string;
}

const PERCENTILES = [50, 75, 90, 95, 99];

/** Rules are in Redis, so these commands need no ClickHouse. */
export function alertsCommand(): Command {
  return new Command('alerts')
    .description('manage the alert rules of a project')
    .addCommand(createCommand())
    .addCommand(ofProject('list', 'list the rules of a project with their states', list))
    .addCommand(ofRule('history', 'show the changes of state of a rule, newest first', history))
    .addCommand(ofRule('enable', 'evaluate a rule again', (...args) => setEnabled(true, ...args)))
    .addCommand(
      ofRule('disable', 'stop evaluating a rule', (...args) => setEnabled(false, ...args)),
    )
    .addCommand(ofRule('test', 'send a test to the webhook of a rule', test))
    .addCommand(ofRule('delete', 'delete a rule and its history', remove));
}

function ofProject(
  name: string,
  about: string,
  act: (project: string, options: JsonOption) => Promise<void>,
): Command {
  return new Command(name)
    .description(about)
    .argument('<entity/project>')
    .option(...JSON_OPTION)
    .action((project: string, options: JsonOption) => act(checked(project), options));
}

function ofRule(
  name: string,
  about: string,
  act: (project: string, id: string, options: JsonOption) => Promise<void>,
): Command {
  return new Command(name)
    .description(about)
    .argument('<entity/project>')
    .argument('<id>')
    .option(...JSON_OPTION)
    .action((project: string, id: string, options: JsonOption) =>
      act(checked(project), id, options),
    );
}

function createCommand(): Command {
  const number = (name: string) => (text: string) => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= 0 && value <= 1e12))
      throw new UsageError(`${name} must be a number from 0 to 1e12, not ${text}.`);
    return value;
  };
  return new Command('create')
    .description('create a rule; the secret of its webhook is shown once')
    .argument('<entity/project>')
    .requiredOption('--name <text>', 'the name of the rule')
    .addOption(new Option('--kind <kind>').choices(ALERT_KINDS).makeOptionMandatory())
    .option('--threshold <n>', 'fires while the value is greater', number('--threshold'))
    .option('--percentile <n>', 'of latency; 95 when absent', number('--percentile'))
    .option('--minutes <n>', 'the newest minutes that count; 15 when absent', (text) =>
      positiveOption(text, '--minutes'),
    )
    .option('--op <name>', 'only calls of this op')
    .option('--webhook <url>', 'where changes are sent')
    .option(...JSON_OPTION)
    .action((project: string, options: CreateOptions) => create(checked(project), options));
}

function create(project: string, options: CreateOptions): Promise<void> {
  const { name, kind, threshold, percentile, minutes, op, webhook } = options;
  if (percentile !== undefined && !PERCENTILES.includes(percentile))
    throw new UsageError(`--percentile must be one of ${PERCENTILES.join(', ')}.`);
  if (minutes !== undefined && (!Number.isInteger(minutes) || minutes > 10_080))
    throw new UsageError('--minutes must be a whole number of at most 10080, a week.');
  if (name === '' || name.length > 128)
    throw new UsageError('--name must have 1 to 128 characters.');
  return withRedis(async (redis, { ingest }) => {
    if (webhook) new WebhookAddresses(ingest.webhooks.allowedNetworks).checkUrl(webhook);
    const request = {
      name,
      threshold,
      percentile,
      windowMinutes: minutes,
      op,
      webhookUrl: webhook,
    };
    const rule = newRule(kind, request, operator(), nowMillis());
    await new AlertStore(redis).add(project, rule);
    await recordRule('alerts.create', project, rule);
    const secret = rule.webhook?.secret ?? null;
    report(options, { ...shown(rule, undefined), secret }, [
      lineOf(rule, undefined),
      ...(secret === null ? [] : [`secret of the webhook, shown once: ${secret}`]),
    ]);
  });
}

const list = (project: string, options: JsonOption): Promise<void> =>
  withRedis(async (redis) => {
    const { rules, statuses } = await new AlertStore(redis).read(project);
    const alerts = rules.map((rule) => shown(rule, statuses[rule.id]));
    const lines = rules.map((rule) => lineOf(rule, statuses[rule.id]));
    report(options, { alerts }, lines.length === 0 ? ['There are no alert rules.'] : lines);
  });

const history = (project: string, id: string, options: JsonOption): Promise<void> =>
  withRedis(async (redis) => {
    const { status } = await found(new AlertStore(redis), project, id);
    const events = status?.events ?? [];
    report(options, { events }, [
      ...events.map(({ at, from, to, value, message, delivery }) =>
        [
          isoTime(at),
          `${from ?? 'new'} → ${to}`,
          value ?? message ?? '',
          delivery === null ? 'not sent' : `${delivery.status} after ${delivery.attempts}`,
          delivery?.error ?? '',
        ]
          .join('  ')
          .trimEnd(),
      ),
      ...(events.length === 0 ? ['The state has not changed yet.'] : []),
    ]);
  });

const setEnabled = (
  isEnabled: boolean,
  project: string,
  id: string,
  options: JsonOption,
): Promise<void> =>
  withRedis(async (redis) => {
    const store = new AlertStore(redis);
    const rule = await store.update(project, id, (one) =>
      changedRule(one, { isEnabled }, nowMillis()),
    );
    if (rule === undefined) throw unknown(project, id);
    await recordRule('alerts.update', project, rule);
    report(options, shown(rule, undefined), [
      `${isEnabled ? 'Enabled' : 'Disabled'} ${rule.name}.`,
    ]);
  });

const test = (project: string, id: string, options: JsonOption): Promise<void> =>
  withRedis(async (redis, { ingest }) => {
    const { rule } = await found(new AlertStore(redis), project, id);
    if (rule.webhook === null) throw new UsageError('This alert rule has no webhook.');
    const sender = new WebhookSender(new WebhookAddresses(ingest.webhooks.allowedNetworks));
    const message = { id: randomUUID(), body: alertMessage(project, rule, null) };
    await recordRule('alerts.test', project, rule);
    const { status, tookMs, error } = await sender.send(rule.webhook, message);
    report(options, { is_delivered: error === null, status, took_ms: tookMs, error }, [
      error ?? `The receiver responded with ${status} after ${tookMs} ms.`,
    ]);
    if (error !== null) process.exitCode = 1;
  });

const remove = (project: string, id: string, options: JsonOption): Promise<void> =>
  withRedis(async (redis) => {
    const rule = await new AlertStore(redis).remove(project, id);
    if (rule === undefined) throw unknown(project, id);
    await recordRule('alerts.delete', project, rule);
    report(options, { deleted: id }, [`Deleted ${rule.name}.`]);
  });

async function found(store: AlertStore, project: string, id: string) {
  const { rules, statuses } = await store.read(project);
  const rule = rules.find((one) => one.id === id);
  if (rule === undefined) throw unknown(project, id);
  return { rule, status: statuses[id] };
}

const recordRule = (
  action: string,
  projectId: string,
  { id, name, kind, threshold, webhook }: AlertRule,
): Promise<void> =>
  recordAction({
    action,
    projectId,
    detail: { id, name, kind, threshold, has_webhook: webhook !== null },
  });

/** Without the secret, and without the parts of the webhook that may be credentials. */
const shown = (rule: AlertRule, status: AlertStatus | undefined) => {
  const { events: _, ...current } = status ?? { events: [] };
  return { ...rule, webhook: shownWebhook(rule), ...current };
};

const lineOf = (rule: AlertRule, status: AlertStatus | undefined): string =>
  [
    rule.id,
    rule.isEnabled ? (status?.state ?? 'not evaluated yet') : 'disabled',
    rule.name,
    rule.kind,
    rule.threshold === null ? '' : `> ${rule.threshold}`,
    status?.value ? `now ${status.value}` : '',
    shownWebhook(rule) ?? '',
  ]
    .filter(Boolean)
    .join('  ');

function checked(project: string): string {
  if (PROJECT_ID.test(project)) return project;
  throw new UsageError(`${project.slice(0, 80)} is not a project: <entity>/<project>.`);
}

const isoTime = (time: Millis) => new Date(time).toISOString();

const unknown = (project: string, id: string) =>
  new UsageError(`${project} has no alert rule ${id}; \`alerts list ${project}\` shows them.`);
