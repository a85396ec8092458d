import { ClickHouseError } from '@clickhouse/client';
import { storeError } from './store-errors.js';

const fromServer = (code: number) =>
  new ClickHouseError({ message: 'why', code: String(code), type: 'X' });

describe('what the store says', () => {
  it.each([
    ['too many parts', 252],
    ['too little memory', 241],
    ['a query that took too long', 159],
    ['a full disk', 243],
    ['a wrong password', 516],
    ['a server that stops', 236],
  ])('is "not now" for %s', (_what, code) => {
    expect(storeError(fromServer(code)).name).toBe('StoreBusy');
  });

  it.each([
    ['a table', 60],
    ['a column to insert into', 16],
    ['a column to read', 47],
    ['a column of a block', 10],
    ['a setting', 115],
    ['a right', 497],
    ['a user', 192],
  ])('is "not before you have seen to it" for %s that is not there', (_what, code) => {
    const error = storeError(fromServer(code));
    expect(error.name).toBe('StoreBusy');
    expect(error.message).toMatch(/run `migrate`, or grant it\. It said: why$/);
  });

  it.each([
    ['bad syntax', 62],
    ['text that is no number', 6],
    ['too large a text', 131],
  ])('is "never" for %s', (_what, code) => {
    expect(storeError(fromServer(code))).toMatchObject({ name: 'StoreRefused', code });
  });

  it('is "not now" for whatever did not come from the server', () => {
    for (const error of [new Error('socket hang up'), 'a string', undefined]) {
      expect(storeError(error).name).toBe('StoreBusy');
    }
  });

  it('keeps the cause', () => {
    const error = fromServer(62);

    expect(storeError(error)).toMatchObject({ message: 'why', cause: error });
  });
});
