import { ClickHouseError } from '@clickhouse/client';
import { metricsPage } from '@app/observability';
import { queryError, storeError, streamError } from './store-errors.js';

const fromServer = (code: number, message = 'why') =>
  new ClickHouseError({ message, code: String(code), type: 'X' });

describe('an error of ClickHouse', () => {
  it.each([
    ['too many parts', 252],
    ['a memory limit', 241],
    ['a query timeout', 159],
    ['a full disk', 243],
    ['a wrong password', 516],
    ['a server shutdown', 236],
  ])('is retried for %s', (_what, code) => {
    expect(storeError(fromServer(code)).code).toBe('storage_unavailable');
  });

  it.each([
    ['table', 60],
    ['column to insert into', 16],
    ['column to read', 47],
    ['column of a block', 10],
    ['setting', 115],
    ['grant', 497],
    ['user', 192],
  ])('is retried and names the fix for a missing %s', (_what, code) => {
    const error = storeError(fromServer(code));
    expect(error.code).toBe('storage_unavailable');
    expect(error.message).toMatch(/run `migrate`, or add the grant\. ClickHouse reported: why$/);
  });

  it.each([
    ['an unsupported method', 1],
    ['a truncated request', 33],
    ['a logical error', 49],
    ['bad syntax', 62],
    ['memory that cannot be allocated', 173],
    ['a file that cannot be synced to disk', 204],
    ['a table that is dropped', 218],
    ['a code that no version had', 9999],
  ])('is retried and reported as unexpected for %s', async (_what, code) => {
    expect(storeError(fromServer(code))).toMatchObject({
      code: 'storage_unavailable',
      isUnexpected: true,
    });
    expect(await metricsPage()).toContain(
      `heddle_clickhouse_unexpected_errors_total{code="${code}"} 1`,
    );
  });

  it.each([
    ['the checksum of a part', 40],
    ['a missing file of a part', 226],
    ['an empty file of a part', 246],
  ])('is retried and names the page to read for %s, in a write and in a query', (_what, code) => {
    for (const error of [storeError(fromServer(code)), queryError(fromServer(code))]) {
      expect(error).toMatchObject({ code: 'storage_unavailable', isUnexpected: false });
      expect(error.message).toMatch('docs/operations/disk-full.md. ClickHouse reported: why');
    }
  });

  it('is not unexpected for a code that a busy server sends', () => {
    expect(storeError(fromServer(252))).toMatchObject({ isUnexpected: false });
  });

  it.each([
    ['text that is not a number', 6],
    ['a text that is too large', 131],
    ['a decimal that does not fit', 407],
    ['an unknown element of an enum', 691],
  ])('is not retried for %s, which a value can cause', (_what, code) => {
    expect(storeError(fromServer(code))).toMatchObject({
      code: 'storage_refused',
      serverCode: code,
    });
  });

  it('is retried when it did not come from the server', () => {
    for (const error of [new Error('socket hang up'), 'a string', undefined]) {
      expect(storeError(error).code).toBe('storage_unavailable');
    }
  });

  it.each([
    ['too many rows', 158, 'why'],
    ['too much memory', 241, 'why'],
    ['a text that is too long', 62, 'Max query size exceeded'],
    ['too deep a tree', 167, 'why'],
    ['too large a tree', 168, 'why'],
    ['too deep a recursion', 306, 'why'],
    ['a text that is too slow to parse', 718, 'why'],
  ])('is "query too large" for a query with %s', (_what, code, message) => {
    expect(queryError(fromServer(code, message)).code).toBe('query_too_large');
  });

  it('is "query timeout" for a query over its time limit, and unchanged for other codes', () => {
    expect(queryError(fromServer(159)).code).toBe('query_timeout');
    expect(queryError(fromServer(62)).code).toBe('storage_refused');
    expect(queryError(fromServer(241, 'limit (total) exceeded')).code).toBe('storage_unavailable');
  });

  it('is the cause of the error that replaces it', () => {
    const error = fromServer(62);

    expect(storeError(error)).toMatchObject({ message: 'why', cause: error });
  });
});

describe('a stream whose connection breaks', () => {
  const broken = new Error('aborted');

  it('has exceeded its time limit when that has passed', () => {
    expect(streamError(broken, 1, 1).code).toBe('query_timeout');
  });

  it('is to be retried before that, and where there is no limit', () => {
    expect(streamError(broken, 0.9, 1).code).toBe('storage_unavailable');
    expect(streamError(broken, 100).code).toBe('storage_unavailable');
  });

  it('has the error that ClickHouse sent, whenever it comes', () => {
    expect(streamError(fromServer(241), 2, 1).code).toBe('query_too_large');
    expect(streamError(fromServer(236), 2, 1).code).toBe('storage_unavailable');
  });
});
