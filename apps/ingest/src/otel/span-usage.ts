import type { AttributeTree } from './attribute-tree.js';
import { USAGE_DETAIL_KEYS, USAGE_KEYS } from './span-fields.js';
import { numberOf } from './span-values.js';
import type { AttributeValue } from './span.js';

type UsageName = keyof typeof USAGE_KEYS;
type Usage = Partial<Record<UsageName, number>>;

/** The tokens a span tells of; undefined when it tells of none. */
export function usageOf(tree: AttributeTree): ReadonlyMap<string, AttributeValue> | undefined {
  const usage = new Map<string, AttributeValue>(Object.entries(countsOf(tree)));
  for (const [name, keys] of Object.entries(USAGE_DETAIL_KEYS)) {
    const details = Object.entries(keys)
      .map(([part, key]) => [part, numberOf(tree.at(key))] as const)
      .filter((entry): entry is [string, number] => entry[1] !== undefined);
    if (details.length > 0) usage.set(name, new Map(details));
  }
  return usage.size > 0 ? usage : undefined;
}

function countsOf(tree: AttributeTree): Usage {
  const usage: Usage = {};
  for (const [name, keys] of Object.entries(USAGE_KEYS) as [UsageName, readonly string[]][]) {
    const count = keys.map((key) => numberOf(tree.at(key))).find((found) => found !== undefined);
    if (count !== undefined) usage[name] = count;
  }
  // Both spellings of one count would be added up when it is priced.
  if (usage.input_tokens !== undefined) delete usage.prompt_tokens;
  if (usage.output_tokens !== undefined) delete usage.completion_tokens;
  const known = [
    usage.input_tokens ?? usage.prompt_tokens,
    usage.output_tokens ?? usage.completion_tokens,
  ].filter((count) => count !== undefined);
  if (usage.total_tokens === undefined && known.length > 0) {
    usage.total_tokens = known.reduce((sum, count) => sum + count, 0);
  }
  return usage;
}
