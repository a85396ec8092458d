import type { AttributeTree } from './attribute-tree.js';
import { USAGE_KEYS } from './span-fields.js';
import { numberOf } from './span-values.js';

type UsageName = keyof typeof USAGE_KEYS;
type Usage = Partial<Record<UsageName, number>>;

/** The tokens a span tells of; undefined when it tells of none. */
export function usageOf(tree: AttributeTree): Usage | undefined {
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
  return Object.keys(usage).length > 0 ? usage : undefined;
}
