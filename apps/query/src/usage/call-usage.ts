import {
  addedUsage,
  costOf,
  decimalOf,
  type Cost,
  type ModelUsage,
  type PriceList,
} from '@app/pricing';
import { micros } from '@app/wire';
import { usageOf, type UsageColumns } from '../costs/usage-columns.js';

/** A call and its parent. */
export interface Relative {
  readonly id: string;
  readonly parent_id: string;
  /** 0 for a call that has not ended. */
  readonly ended: number | string;
}

/** The columns of a call that usage needs. */
export interface UsageCall extends UsageColumns, Relative {
  readonly started: number | string;
  /** 1 for an OpenTelemetry span, whose usage does not include its children's. */
  readonly is_span: number;
}

/** Usage of one model; the cost is undefined without a price. */
interface CostedUsage {
  readonly usage: ModelUsage;
  readonly cost: Cost | undefined;
}

type ByModel = ReadonlyMap<string, CostedUsage>;

/** Most calls use no model. */
const NOTHING: ByModel = new Map<string, CostedUsage>();

/** Usage of calls, descendants included. All descendants of OpenTelemetry spans must be added first. */
export class InclusiveUsage {
  private readonly children = new Map<string, UsageCall[]>();
  private readonly byCall = new Map<string, ByModel>();

  constructor(private readonly prices: PriceList) {}

  add(call: UsageCall): void {
    const siblings = this.children.get(call.parent_id);
    if (siblings) siblings.push(call);
    else this.children.set(call.parent_id, [call]);
  }

  of(call: UsageCall): ByModel {
    if (!call.is_span && !call.usage_model?.length) return NOTHING;
    const known = this.byCall.get(call.id);
    if (known) return known;
    const own = new Map<string, CostedUsage>(
      usageOf(call).map((usage) => [usage.model, { usage, cost: this.costOf(usage, call) }]),
    );
    // Set before the children are visited, so that a call which is its own ancestor does not recurse indefinitely.
    this.byCall.set(call.id, own);
    if (!call.is_span) return own;
    for (const child of this.children.get(call.id) ?? []) {
      if (child.id !== call.id) addTo(own, this.of(child));
    }
    return own;
  }

  private costOf(usage: ModelUsage, { started }: UsageCall): Cost | undefined {
    const price = this.prices.at(usage.model, micros(Number(started)));
    return price && costOf(usage, price);
  }
}

function addTo(sum: Map<string, CostedUsage>, more: ByModel): void {
  for (const [model, { usage, cost }] of more) {
    const known = sum.get(model);
    sum.set(
      model,
      known
        ? { usage: addedUsage(known.usage, usage), cost: addedCost(known.cost, cost) }
        : { usage, cost },
    );
  }
}

function addedCost(a: Cost | undefined, b: Cost | undefined): Cost | undefined {
  if (!a || !b) return a ?? b;
  return {
    prompt: a.prompt + b.prompt,
    completion: a.completion + b.completion,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

/** `{"<model>": {…}}` as JSON text, so that decimals keep all digits. */
export function usageText(byModel: ByModel, withCosts: boolean): string {
  const models = [...byModel].map(([model, { usage, cost }]) => {
    const counts = JSON.stringify({
      requests: usage.requests,
      prompt_tokens: usage.prompt,
      completion_tokens: usage.completion,
      total_tokens: usage.total,
      cache_read_input_tokens: usage.cacheRead,
      cache_creation_input_tokens: usage.cacheWrite,
    });
    const money = withCosts && cost ? `,${costText(cost)}` : '';
    return `${JSON.stringify(model)}:${counts.slice(0, -1)}${money}}`;
  });
  return `{${models.join(',')}}`;
}

function costText(cost: Cost): string {
  const costs = {
    prompt_tokens_total_cost: cost.prompt,
    completion_tokens_total_cost: cost.completion,
    cache_read_input_tokens_total_cost: cost.cacheRead,
    cache_creation_input_tokens_total_cost: cost.cacheWrite,
  };
  return Object.entries(costs)
    .map(([name, units]) => `"${name}":${decimalOf(units)}`)
    .join(',');
}

export const isUnfinished = ({ ended }: Pick<Relative, 'ended'>): boolean => Number(ended) === 0;

/** The ids of those among these calls and their descendants that have not ended. */
export function unfinishedAmong(relatives: readonly Relative[], ids: readonly string[]): string[] {
  const children = new Map<string, string[]>();
  for (const { id, parent_id } of relatives) {
    const siblings = children.get(parent_id);
    if (siblings) siblings.push(id);
    else children.set(parent_id, [id]);
  }
  const below = new Set(ids);
  // A set visits what is added while it is iterated, and each id once: also when a call is its own ancestor.
  for (const id of below) for (const child of children.get(id) ?? []) below.add(child);
  return relatives.filter((one) => below.has(one.id) && isUnfinished(one)).map(({ id }) => id);
}
