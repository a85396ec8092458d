import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/processes.js';
import { blockAfter } from '../support/readme.js';
import { RecordingProxy } from '../support/recording-proxy.js';
import { PYTHON, runScript, TYPESCRIPT, type Sdk } from './scenarios.js';

const CASES = [
  { sdk: PYTHON, words: 'With the Python SDK', language: 'python', file: 'quick_start.py' },
  { sdk: TYPESCRIPT, words: 'With the TypeScript SDK', language: 'js', file: 'quick-start.mjs' },
].filter(({ sdk }) => sdk.program !== '');

/** What `sh` would set. */
const variablesIn = (text: string) => [...text.matchAll(/([A-Z_]+)=/g)].map(([, name]) => name);

const SHELL: Sdk = { name: 'curl', program: 'sh', environment: (_url, key) => ({ KEY: key }) };
const hasCurl = spawnSync('curl', ['--version']).status === 0;

// First, because the programs below read the same project: they meet the call that this block has sent.
(hasCurl ? describe : describe.skip)('The requests with curl in the README', () => {
  it('send a call and read its cost back', async () => {
    const block = blockAfter('## Send a trace', 'sh')
      .replace('KEY=$(cat data/api-key)\n', '')
      .replace('http://127.0.0.1:8080', process.env['TEST_URL']!);

    const { code, output } = await runScript(SHELL, ['-ec', block], '');

    expect([code, output]).toEqual([
      0,
      expect.stringContaining('"prompt_tokens_total_cost":0.00003'),
    ]);
    expect(output).toContain('"total_cost":0.00008,"unit":"USD"');
  });
});

describe.each(CASES)('The quick start for $sdk.name in the README', (one) => {
  const { sdk, words, language, file }: { sdk: Sdk } & Record<string, any> = one;
  let proxy: RecordingProxy;
  let directory: string;

  beforeAll(async () => {
    proxy = await RecordingProxy.to(process.env['TEST_URL']!);
    // Below the packages, so that the SDK is found as it would be in a program of one's own.
    mkdirSync(join(root, '.cache'), { recursive: true });
    directory = mkdtempSync(join(root, '.cache/readme-'));
  });

  afterAll(async () => {
    rmSync(directory, { recursive: true });
    await proxy.close();
  });

  it('sets the variables that the tests set, and no others', () => {
    expect(variablesIn(blockAfter(words, 'sh'))).toEqual(Object.keys(sdk.environment('', '')));
  });

  it('traces a call of a model, reads it back and prices it, copied as it stands', async () => {
    const path = join(directory, file);
    writeFileSync(path, blockAfter(words, language));

    const { code, output } = await runScript(sdk, [path], proxy.url);

    expect([code, output]).toEqual([0, expect.stringContaining('Hello, Ada')]);
    expect(output).toMatch(/greet[^]*gpt-4o/);
    expect(output).toMatch(/chat[^]*prompt_tokens_total_cost/);
    expect(proxy.failures()).toEqual([]);
  });
});
