import { withEdits } from './corrected-item.js';
import { MORE_BYTES, partWithin } from './item-part.js';

const text = 'plain, then ä, € and 😀 and so on';
const item = Buffer.from(text);

/** All parts of the item, read as the page reads them. */
function parts(length: number): string[] {
  const found: string[] = [];
  for (let offset = 0; offset < item.length;) {
    const bytes = item.subarray(offset, offset + length + MORE_BYTES);
    const [from, to] = partWithin(bytes, length, offset === 0);
    found.push(bytes.subarray(from, to).toString('utf8'));
    offset += to;
  }
  return found;
}

describe('the parts of an item', () => {
  it.each([4, 5, 7, 16, 1000])('of %i bytes split no character and leave none out', (length) => {
    expect(parts(length).join('')).toBe(text);
  });

  it('begin at the next character where one is requested within a character', () => {
    const inside = item.indexOf('€') + 1;
    expect(partWithin(item.subarray(inside), 4, false)[0]).toBe(2);
  });
});

describe('the edits of an item', () => {
  const edit = (found: string, by: string) => ({
    offset: item.indexOf(found),
    length: Buffer.byteLength(found),
    text: by,
  });

  it('replace, insert and remove bytes of the item as it was sent', () => {
    const edits = [edit('plain', '«'), { offset: 5, length: 0, text: '!' }, edit('😀 ', '')];
    expect(withEdits(item, edits).toString()).toBe('«!, then ä, € and and so on');
    expect(withEdits(item, [])).toBe(item);
  });

  it.each([
    ['overlap', [edit('then', 'x'), edit('hen', 'y')], /edits\.1 begins before/],
    ['are out of order', [edit('then', 'x'), edit('plain', 'y')], /edits\.1 begins before/],
    ['end after the item', [{ offset: 2, length: 1000, text: '' }], /edits\.0 ends after/],
  ])('are refused when they %s', (_what, edits, reason) => {
    expect(() => withEdits(item, edits)).toThrow(reason);
  });
});
