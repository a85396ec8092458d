import { columnsOf, columnsText, nameColumnOf } from './column-list.js';

const read = (text: string) => columnsOf(text).map(({ id, width }) => [id, width]);

describe('the columns of an address', () => {
  it('keep their order and width, and may be paths of payloads', () => {
    expect(read('cost,input~420,inputs.meta.customer')).toEqual([
      ['cost', 92],
      ['input', 420],
      ['inputs.meta.customer', 180],
    ]);
    expect(read('unknown,cost~1')).toEqual([['cost', 48]]);
  });

  it.each(['cost,input~420', 'name~300,status', 'inputs.a%2Cb,output.x~77', 'none'])(
    'are the same text again: %s',
    (text) => {
      expect(columnsText(columnsOf(text), nameColumnOf(text))).toBe(text);
    },
  );

  it('are not in the address when they are the usual ones', () => {
    expect(columnsText(columnsOf(undefined), nameColumnOf(undefined))).toBe('');
  });

  it('have at most ten paths, which is what the server reads', () => {
    const text = Array.from({ length: 12 }, (_, i) => `inputs.p${i}`).join();
    expect(columnsOf(text)).toHaveLength(10);
  });
});
