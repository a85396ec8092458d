import type { IncomingHttpHeaders } from 'node:http';
import { engineError } from './engine-errors.js';
import { boundaryOf, multipartFields } from './multipart.js';

/** One statement, as the client sent it. */
export interface StatementRequest {
  readonly sql: string;
  /** Rows to insert, when they come apart from the SQL. */
  readonly data: Buffer | undefined;
  readonly parameters: ReadonlyMap<string, string>;
  readonly settings: ReadonlyMap<string, string>;
  readonly database: string;
  readonly queryId: string;
  readonly sessionId: string | undefined;
  readonly defaultFormat: string;
  readonly wantsGzip: boolean;
}

/** What the HTTP interface understands itself; everything else in the URL is a setting. */
const NOT_SETTINGS = new Set([
  'query',
  'database',
  'query_id',
  'session_id',
  'session_timeout',
  'session_check',
  'role',
  'user',
  'password',
  'quota_key',
  'default_format',
  'enable_http_compression',
  'wait_end_of_query',
  'buffer_size',
  'compress',
  'decompress',
  'http_zlib_compression_level',
  'http_response_buffer_size',
  'http_write_exception_in_output_format',
  'http_headers_progress_interval_ms',
  'send_progress_in_http_headers',
  'cancel_http_readonly_queries_on_client_close',
]);
const SETTING_NAME = /^[A-Za-z_]\w*$/;
const UNKNOWN_SETTING = 115;

export function parseRequest(
  url: URL,
  headers: IncomingHttpHeaders,
  body: Buffer,
  newQueryId: string,
): StatementRequest {
  const { fields, data } = readFields(url, headers, body);
  return {
    sql: fields.get('query') ?? '',
    data,
    parameters: parametersIn(fields),
    settings: settingsIn(fields),
    database: fields.get('database') ?? 'default',
    queryId: fields.get('query_id') ?? newQueryId,
    sessionId: fields.get('session_id'),
    defaultFormat: fields.get('default_format') ?? 'TabSeparated',
    wantsGzip: wantsGzip(fields, headers),
  };
}

interface Fields {
  readonly fields: Map<string, string>;
  readonly data: Buffer | undefined;
}

/** SQL in the URL leaves the body to the data; a form carries both as fields. */
function readFields(url: URL, headers: IncomingHttpHeaders, body: Buffer): Fields {
  const fields = new Map(url.searchParams);
  const boundary = boundaryOf(headers['content-type']);
  if (boundary !== undefined) {
    return { fields: new Map([...fields, ...multipartFields(body, boundary)]), data: undefined };
  }
  if (fields.has('query')) return { fields, data: body };
  return { fields: fields.set('query', body.toString('utf8')), data: undefined };
}

function parametersIn(fields: ReadonlyMap<string, string>): Map<string, string> {
  const parameters = [...fields].filter(([name]) => name.startsWith('param_'));
  return new Map(parameters.map(([name, value]) => [name.slice('param_'.length), value]));
}

function settingsIn(fields: ReadonlyMap<string, string>): Map<string, string> {
  const isSetting = (name: string) => !NOT_SETTINGS.has(name) && !name.startsWith('param_');
  const settings = new Map([...fields].filter(([name]) => isSetting(name)));
  for (const name of settings.keys()) {
    if (!SETTING_NAME.test(name)) {
      throw engineError(UNKNOWN_SETTING, 'UNKNOWN_SETTING', `Unknown setting '${name}'.`);
    }
  }
  return settings;
}

function wantsGzip(fields: ReadonlyMap<string, string>, headers: IncomingHttpHeaders): boolean {
  const accepted = String(headers['accept-encoding'] ?? '');
  return fields.get('enable_http_compression') === '1' && /\bgzip\b/.test(accepted);
}
