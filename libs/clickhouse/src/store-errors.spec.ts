import { ClickHouseError } from '@clickhouse/client';
import { questionError, storeError } from './store-errors.js';

const fromServer = (code: number, message = 'why') =>
  new ClickHouseError({ message, code: String(code), type: 'X' });

describe('what the store says', () => {
  it.each([
    ['too many parts', 252],
    ['too little memory', 241],
    ['a query that took too long', 159],
    ['a full disk', 243],
    ['a wrong password', 516],
    ['a server that stops', 236],
  ])('is "not now" for %s', (_what, code) => {
    expect(storeError(fromServer(code)).name).toBe('StoreUnavailableError');
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
    expect(error.name).toBe('StoreUnavailableError');
    expect(error.message).toMatch(/run `migrate`, or grant it\. It said: why$/);
  });

  it.each([
    ['bad syntax', 62],
    ['text that is no number', 6],
    ['too large a text', 131],
  ])('is "never" for %s', (_what, code) => {
    expect(storeError(fromServer(code))).toMatchObject({ name: 'StoreRefusedError', code });
  });

  it('is "not now" for whatever did not come from the server', () => {
    for (const error of [new Error('socket hang up'), 'a string', undefined]) {
      expect(storeError(error).name).toBe('StoreUnavailableError');
    }
  });

  it.each([
    ['too many rows', 158, 'why'],
    ['its own memory', 241, 'why'],
    ['a text that is too long', 62, 'Max query size exceeded'],
    ['too deep a tree', 167, 'why'],
    ['too large a tree', 168, 'why'],
    ['too deep a recursion', 306, 'why'],
    ['too slow to take apart', 718, 'why'],
  ])('is "too large" for a question with %s', (_what, code, message) => {
    expect(questionError(fromServer(code, message)).name).toBe('QueryTooLargeError');
  });

  it('is "too slow" for a question past its time, and as ever for the rest', () => {
    expect(questionError(fromServer(159)).name).toBe('QueryTimeoutError');
    expect(questionError(fromServer(62)).name).toBe('StoreRefusedError');
    expect(questionError(fromServer(241, 'limit (total) exceeded')).name).toBe(
      'StoreUnavailableError',
    );
  });

  it('keeps the cause', () => {
    const error = fromServer(62);

    expect(storeError(error)).toMatchObject({ message: 'why', cause: error });
  });
});
