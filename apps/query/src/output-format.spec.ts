import { acceptedFile } from './output-format.js';

describe('the file that a client accepts', () => {
  it.each([
    ['text/csv', 'csv'],
    ['Text/CSV; charset=utf-8', 'csv'],
    ['application/vnd.apache.parquet', 'parquet'],
    ['application/json;q=0.5, text/csv', 'csv'],
    ['text/csv;q=0.1, application/x-parquet;q=0.9', 'parquet'],
  ])('is the one that it prefers: %s', (accept, format) => {
    expect(acceptedFile(accept)).toBe(format);
  });

  it.each([
    undefined,
    '',
    '*/*',
    'application/jsonl',
    'application/json, text/csv',
    'text/csv;q=0',
    'text/csv;q=x',
    'constructor',
    ',;,q=',
  ])('is none when it prefers JSON or anything: %s', (accept) => {
    expect(acceptedFile(accept)).toBeUndefined();
  });
});
