import { tabSeparated } from './tab-separated.js';

interface Row {
  readonly id: string;
  readonly started: number;
}

const decode = tabSeparated<Row>([
  ['id', 'text'],
  ['started', 'number'],
]);

describe('a line of the format TabSeparated', () => {
  it.each([
    ['a\t1771111111111111', { id: 'a', started: 1771111111111111 }],
    ['\t-1', { id: '', started: -1 }],
    [
      String.raw`it\'s \\n \n \t \\\' \0\b\f\r é` + '\t0',
      { id: "it's \\n \n \t \\' \0\b\f\r é", started: 0 },
    ],
  ])('is decoded: %j', (line, row) => {
    expect(decode(line)).toEqual(row);
  });

  it('is an error of the server when it has not the columns of a row', () => {
    expect(() => decode('Code: 159. DB::Exception: Timeout exceeded. (TIMEOUT_EXCEEDED)')).toThrow(
      /Timeout exceeded/,
    );
  });
});
