import { parseRequest } from './request.js';

const parse = (query: string, body = '', headers: Record<string, string> = {}) =>
  parseRequest(new URL(`http://h/?${query}`), headers, Buffer.from(body), 'new-id');

describe('reading a request', () => {
  it('takes SQL from the body when the URL has none', () => {
    const { sql, data } = parse('', 'SELECT 1');
    expect(sql).toBe('SELECT 1');
    expect(data).toBeUndefined();
  });

  it('takes SQL from the URL, and then the body as data', () => {
    const { sql, data } = parse('query=INSERT+INTO+t+FORMAT+CSV', '1,2');
    expect(sql).toBe('INSERT INTO t FORMAT CSV');
    expect(data?.toString()).toBe('1,2');
  });

  it('tells parameters from settings from what the interface knows itself', () => {
    const request = parse('param_x=1&max_threads=2&query_id=q&database=d&session_id=s', 'SELECT 1');
    expect([...request.parameters]).toEqual([['x', '1']]);
    expect([...request.settings]).toEqual([['max_threads', '2']]);
    expect(request).toMatchObject({ queryId: 'q', database: 'd', sessionId: 's' });
  });

  it('refuses a setting whose name is no name', () => {
    expect(() => parse('a%3D1%2Cb=2', 'SELECT 1')).toThrow(/Code: 115/);
  });

  it('reads SQL and parameters out of a form, keeping line breaks at both ends', () => {
    const part = (name: string, value: string) =>
      `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const body = `${part('query', 'SELECT {s:String}')}${part('param_s', '\r\na\n')}--B--\r\n`;
    const request = parse('', body, { 'content-type': 'multipart/form-data; boundary=B' });
    expect(request.sql).toBe('SELECT {s:String}');
    expect(request.parameters.get('s')).toBe('\r\na\n');
    expect(request.data).toBeUndefined();
  });

  it('compresses only on request, in a way the client accepts', () => {
    const gzip = { 'accept-encoding': 'gzip' };
    expect(parse('enable_http_compression=1', 'SELECT 1', gzip).wantsGzip).toBe(true);
    expect(parse('enable_http_compression=1', 'SELECT 1').wantsGzip).toBe(false);
    expect(parse('', 'SELECT 1', gzip).wantsGzip).toBe(false);
  });

  it('has defaults as the server has', () => {
    expect(parse('', 'SELECT 1')).toMatchObject({
      queryId: 'new-id',
      database: 'default',
      defaultFormat: 'TabSeparated',
    });
  });
});
