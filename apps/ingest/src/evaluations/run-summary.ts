import { json, jsonObject, type Json } from './evaluation-records.js';

/** What a trial returned, as far as a run needs it. */
export interface TrialResult {
  /** JSON texts; empty when absent. */
  readonly scores: string;
  readonly predicted: string;
}

/** The output of a finished run: the mean of every scorer, and of the outputs that are numbers. */
export function runOutput(trials: Iterable<TrialResult>): Json {
  const means = new Map<string, Mean>();
  const outputs = new Mean();
  for (const { scores, predicted } of trials) {
    const parsed = parse(scores);
    if (parsed !== null && typeof parsed === 'object' && !Array.isArray(parsed)) {
      for (const [name, score] of Object.entries(parsed)) {
        const mean = means.get(name) ?? new Mean();
        means.set(name, mean);
        mean.add(score);
      }
    }
    outputs.add(parse(predicted));
  }
  const texts = Object.fromEntries([...means].map(([name, mean]) => [name, mean.text] as const));
  return jsonObject({ ...texts, output: outputs.text ?? texts['output'] });
}

const parse = (text: string): unknown => (text === '' ? null : JSON.parse(text));

/** Counts booleans as 0 and 1, and nothing else that is not a number. */
class Mean {
  private sum = 0;
  private count = 0;

  add(value: unknown): void {
    if (typeof value !== 'number' && typeof value !== 'boolean') return;
    this.sum += Number(value);
    this.count++;
  }

  get text(): Json | undefined {
    return this.count === 0 ? undefined : json({ mean: this.sum / this.count });
  }
}
