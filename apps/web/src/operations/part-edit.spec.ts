import { editOf, indexAt } from './part-edit.js';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The item after the edit, by its bytes. */
function edited(item: string, offset: number, original: string, text: string): string {
  const edit = editOf(offset, original, text)!;
  const bytes = bytesOf(item);
  const [before, after] = [bytes.slice(0, edit.offset), bytes.slice(edit.offset + edit.length)];
  return new TextDecoder('utf-8', { fatal: true }).decode(
    new Uint8Array([...before, ...bytesOf(edit.text), ...after]),
  );
}

describe('the edit of a part', () => {
  it.each([
    ['replaces', 'started ä yesterday, end', 'started ä today, end'],
    ['inserts', 'aa', 'aaa'],
    ['removes', 'aaa', 'aa'],
    ['changes one half of a character', 'x 😀 y', 'x 😁 y'],
    ['changes the other half of a character', 'x \u{1f600} y', 'x \u{1fa00} y'],
    ['removes everything', '€', ''],
    ['changes a character that begins like another', 'ab€c', 'ab₭c'],
  ])('%s what differs, and nothing else', (_what, original, text) => {
    const before = 'before: é ';
    const offset = bytesOf(before).length;
    expect(edited(before + original + ' after', offset, original, text)).toBe(
      before + text + ' after',
    );
  });

  it('is small, and absent when nothing differs', () => {
    const long = 'x'.repeat(100_000);
    expect(editOf(5, `${long}a${long}`, `${long}bc${long}`)).toEqual({
      ...{ offset: 100_005, length: 1, text: 'bc' },
    });
    expect(editOf(0, long, long)).toBeUndefined();
  });
});

it('finds the character that begins at a byte', () => {
  expect(indexAt('ä€😀x', bytesOf('ä€😀').length)).toBe(4);
});
