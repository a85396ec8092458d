import type { Ref } from '@app/contracts';
import { RefExpander } from './ref-expander.js';

const model = 'weave:///acme/demo/object/model:d1';
const prompt = 'weave:///acme/demo/object/prompt:d2';
const unreadable = 'weave:///other/demo/object/model:d3';
const stored: Record<string, string> = {
  model: `{"temperature":1.0, "prompt":"${prompt}"}`,
  prompt: '["be kind", 123456789012345678901234567890]',
};

function expander(maxBytes = 1_000_000) {
  const read: string[][] = [];
  const names = (refs: readonly Ref[]) => refs.map((ref) => ('name' in ref ? ref.name : ''));
  const readRefs = async (refs: readonly Ref[]) => {
    read.push(names(refs));
    return names(refs).map((name) => (stored[name] ? Buffer.from(stored[name]) : null));
  };
  const of = new RefExpander(readRefs, (projectId) => projectId === 'acme/demo', maxBytes);
  const expand = async (texts: string[], paths: string[][]) =>
    (
      await of.expand(
        texts.map((text) => Buffer.from(text)),
        paths,
      )
    ).map((pieces) => Buffer.concat([...pieces]).toString());
  return { expand, read };
}

describe('expanding refs', () => {
  it('replaces a ref by the stored text of its value, and adds the ref to an object', async () => {
    const { expand } = expander();
    expect(await expand([`{"a":{"m" : "${model}"},"n":1.0}`], [['a', 'm']])).toEqual([
      `{"a":{"m" : {"temperature":1.0, "prompt":"${prompt}","_ref":"${model}"}},"n":1.0}`,
    ]);
  });

  it('expands shallow paths first, whatever their order', async () => {
    const { expand, read } = expander();
    const paths = [['m', 'prompt'], ['m'], ['list', '1']];
    const texts = [`{"m":"${model}"}`, `{"m":{"prompt":"${prompt}"}}`, `{"list":[0,"${prompt}"]}`];
    expect(await expand(texts, paths)).toEqual([
      `{"m":{"temperature":1.0, "prompt":${stored['prompt']},"_ref":"${model}"}}`,
      `{"m":{"prompt":${stored['prompt']}}}`,
      `{"list":[0,${stored['prompt']}]}`,
    ]);
    expect(read).toEqual([['model', 'prompt']]);
  });

  it('reads all refs of one depth together', async () => {
    const { expand, read } = expander();
    await expand([`{"m":"${model}","n":"${model}"}`, `{"m":"${model}"}`], [['m', 'prompt'], ['m']]);
    expect(read).toEqual([['model'], ['prompt']]);
  });

  it('reads a ref once, however many texts and blocks contain it', async () => {
    const { expand, read } = expander();
    const text = `{"m":"${model}"}`;
    await expand([text, text], [['m']]);
    await expand([text, text], [['m']]);
    expect(read).toEqual([['model']]);
  });

  it('refuses texts that are too large together, whatever their number', async () => {
    const text = `{"m":"${model}","p":"${prompt}"}`;
    const paths = [['m'], ['m', 'prompt'], ['p']];
    const [one] = await expander().expand([text], paths);
    const added = one!.length - text.length;

    await expander(10 * added).expand(Array<string>(10).fill(text), paths);
    const expanded = expander(10 * added).expand(Array<string>(11).fill(text), paths);
    await expect(expanded).rejects.toMatchObject({
      code: 'query_too_large',
      message: expect.stringContaining(`more than ${10 * added} bytes`) as string,
    });
  });

  it('leaves everything but a readable ref unchanged', async () => {
    const { expand, read } = expander();
    const texts = [
      `{"m":"weave:///acme/demo/object/unknown:d"}`,
      `{"m":"weave:///acme/demo/call/c1"}`,
      `{"m":"weave:///acme/demo/table/t1"}`,
      `{"m":"${unreadable}"}`,
      `{"m":"text"}`,
      `{"m":7}`,
      `{}`,
    ];
    expect(await expand(texts, [['m']])).toEqual(texts);
    expect(read).toEqual([['unknown']]);
  });
});
