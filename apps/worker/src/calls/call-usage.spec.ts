import { readFileSync } from 'node:fs';
import { aCallRow } from '../../../../test/support/store.js';
import { usageIn, usageViolations } from './call-usage.js';

describe('usage', () => {
  it.each([undefined, null, 'text', 7, [], {}, { usage: null }, { usage: 'x' }])(
    'is none in %j',
    (summary) => expect(usageIn(summary)).toEqual([]),
  );

  const tokens = { prompt_tokens: 3, completion_tokens: 2, requests: 1 };
  const usageOf = (names: readonly string[]) =>
    usageIn({ usage: Object.fromEntries(names.map((name) => [name, tokens])) });
  const named = (count: number) => Array.from({ length: count }, (_, n) => `m${n}`);

  it('has every model up to a hundred', () => {
    expect(usageOf(named(100)).map(({ model }) => model)).toEqual(named(100));
  });

  it('adds up the models after the first ninety-nine as "other"', () => {
    const usage = usageOf(named(60_000));
    expect(usage.map(({ model }) => model)).toEqual([...named(99), 'other']);
    expect(usage.at(-1)).toMatchObject({ requests: 59_901, prompt: 179_703, total: 299_505 });
    const known = usageOf(['other', ...named(200)]);
    expect(known).toHaveLength(99);
    expect(known[0]).toMatchObject({ model: 'other', requests: 103 });
  });

  it('adds up models whose names are the same text in UTF-8', () => {
    expect(usageOf(['a\ud800', 'a\udc00', 'b'])).toMatchObject([
      { model: 'a\ufffd', requests: 2, total: 10 },
      { model: 'b', requests: 1 },
    ]);
  });

  /** The dialects of docs/reference/usage.md: ten tokens in, of which some are cached, and five out. */
  const dialects: [string, object, object][] = [
    ['plain', { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }, { uncached: 10 }],
    [
      'OpenAI chat completions',
      {
        requests: 2,
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        prompt_tokens_details: { cached_tokens: 4 },
      },
      { requests: 2, uncached: 6, cacheRead: 4 },
    ],
    [
      'OpenAI responses',
      {
        input_tokens: 10,
        output_tokens: 5,
        total_tokens: 15,
        input_tokens_details: { cached_tokens: 4 },
      },
      { uncached: 6, cacheRead: 4 },
    ],
    [
      'Anthropic, cached parts apart',
      {
        input_tokens: 10,
        output_tokens: 5,
        cache_read_input_tokens: 20,
        cache_creation_input_tokens: 3,
      },
      { uncached: 10, cacheRead: 20, cacheWrite: 3, total: 38 },
    ],
    [
      'Anthropic, told apart by the total',
      { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 4, total_tokens: 19 },
      { uncached: 10, cacheRead: 4, total: 19 },
    ],
    [
      'Anthropic, written by lifetime',
      {
        input_tokens: 10,
        output_tokens: 5,
        cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 9 },
      },
      { uncached: 10, cacheWrite: 11, total: 26 },
    ],
    [
      'LiteLLM',
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        cache_read_input_tokens: 4,
        cache_creation_input_tokens: 3,
        prompt_tokens_details: { cached_tokens: 4 },
      },
      { uncached: 3, cacheRead: 4, cacheWrite: 3 },
    ],
    [
      'Gemini',
      {
        prompt_token_count: 10,
        cached_content_token_count: 4,
        candidates_token_count: 3,
        thoughts_token_count: 2,
        total_token_count: 15,
      },
      { uncached: 6, cacheRead: 4 },
    ],
    [
      'Gemini, camel case',
      {
        promptTokenCount: 8,
        toolUsePromptTokenCount: 2,
        cachedContentTokenCount: 4,
        candidatesTokenCount: 5,
        totalTokenCount: 15,
      },
      { uncached: 6, cacheRead: 4 },
    ],
    [
      'Gemini as the SDK writes it',
      { prompt_tokens: 10, completion_tokens: 5, cached_content_token_count: 4 },
      { uncached: 6, cacheRead: 4 },
    ],
    [
      'Bedrock Converse',
      {
        inputTokens: 10,
        outputTokens: 5,
        cacheReadInputTokens: 20,
        cacheWriteInputTokens: 1,
        totalTokens: 36,
      },
      { uncached: 10, cacheRead: 20, cacheWrite: 1, total: 36 },
    ],
    [
      'Vercel AI SDK',
      { inputTokens: 10, outputTokens: 5, totalTokens: 15, cachedInputTokens: 4 },
      { uncached: 6, cacheRead: 4 },
    ],
    [
      'Vercel AI SDK 4',
      { promptTokens: 10, completionTokens: 5, totalTokens: 15 },
      { uncached: 10 },
    ],
    [
      'DeepSeek',
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_cache_hit_tokens: 4 },
      { uncached: 6, cacheRead: 4 },
    ],
    [
      'two dialects added up',
      { prompt_tokens: 4, completion_tokens: 2, input_tokens: 6, output_tokens: 3 },
      { uncached: 10 },
    ],
    [
      'more cached than there is',
      { prompt_tokens: 10, completion_tokens: 5, cache_read_input_tokens: 12 },
      { uncached: 0, cacheRead: 12, total: 17 },
    ],
  ];

  it.each(dialects)('is normalised from the dialect: %s', (_, usage, expected) => {
    expect(usageIn({ usage: { m: usage } })).toEqual([
      {
        model: 'm',
        requests: 0,
        prompt: 10,
        completion: 5,
        cacheRead: 0,
        cacheWrite: 0,
        total: 15,
        ...expected,
      },
    ]);
  });

  it('is normalised from every dialect that the documentation lists', () => {
    const page = new URL('../../../../docs/reference/usage.md', import.meta.url);
    const rows = readFileSync(page, 'utf8').match(/^\| (?!Dialect|-)[^|]+/gm) ?? [];

    expect(rows.map((row) => row.slice(2).trim())).toEqual(dialects.map(([name]) => name));
  });

  it('is a violation when its parts do not add up to its total', () => {
    const usage = (total: number) => ({
      usage_uncached: [3, 1],
      usage_cache_read: [2, 0],
      usage_cache_write: [1, 0],
      usage_completion: [4, 1],
      usage_total: [total, 2],
    });

    expect(usageViolations([aCallRow(usage(10)), aCallRow(usage(11)), aCallRow()])).toBe(1);
  });

  it('counts whole, positive numbers and nothing else', () => {
    const counted = (prompt_tokens: unknown) => usageIn({ usage: { m: { prompt_tokens } } })[0]!;

    for (const nonsense of [-1, NaN, Infinity, 1e300, '7', null, {}, [3]]) {
      expect(counted(nonsense)).toMatchObject({ prompt: 0, total: 0 });
    }
    expect(counted(1.6).prompt).toBe(2);
    expect(usageIn({ usage: { m: null, n: 3 } })).toMatchObject([{ total: 0 }, { total: 0 }]);
  });
});
