import { isIP } from 'node:net';
import { HeddleError } from '@app/errors';

/** One environment variable: its parser, its default and its documentation. */
export interface Setting<T> {
  readonly parse: (text: string) => T;
  readonly fallback: T;
  readonly accepts: string;
  readonly about: string;
  /** What an error may print of an invalid value; undefined prints nothing, because the value may contain a secret. */
  readonly shown: (text: string) => string | undefined;
}

/** An invalid value. `readConfig` adds the name of the variable to the message. */
export class SettingError extends HeddleError {
  readonly code = 'invalid_setting';
}

const setting = <T>(
  accepts: string,
  fallback: T,
  about: string,
  parse: (text: string) => T,
  shown: Setting<T>['shown'] = (value) => value,
): Setting<T> => ({ accepts, fallback, about, parse, shown });

const showNothing = (): undefined => undefined;

export function text(fallback: string, about: string): Setting<string> {
  return setting('text', fallback, about, (value) => value);
}

/** A name that is part of statements. */
export function identifier(fallback: string, about: string): Setting<string> {
  const accepts = 'characters of a–z, A–Z, 0–9 and _';
  return setting(accepts, fallback, about, (value) => {
    if (!/^\w{1,64}$/.test(value)) throw new SettingError(`must be ${accepts}`);
    return value;
  });
}

export function secret(about: string): Setting<string> {
  return setting('text', '', about, (value) => value, showNothing);
}

export function url(
  fallback: string,
  protocols: readonly string[],
  about: string,
): Setting<string> {
  const accepts = `URL starting with ${protocols.map((p) => `${p}//`).join(' or ')}`;
  return setting(
    accepts,
    fallback,
    about,
    (value) => parseUrl(value, protocols, accepts),
    maskedUrl,
  );
}

function parseUrl(text: string, protocols: readonly string[], accepts: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (!protocols.includes(protocol)) throw new SettingError(`must be a ${accepts}`);
  // Otherwise a part of the password would be the host, and every error of the connection would print it.
  if (/@.*@|[/?#][^@]*@/.test(text.slice(text.indexOf('//') + 2)))
    throw new SettingError('must have a user and password in which @ / ? # are percent-encoded');
  return text;
}

/** The protocol and the host of a URL. Everything else may be a secret, and so may a text that is not a URL. */
function maskedUrl(text: string): string | undefined {
  const [, protocol = '', rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/is.exec(text) ?? [];
  if (protocol === '') return undefined;
  const at = rest.lastIndexOf('@');
  const [host = ''] = /^[\w.:[\]-]*/.exec(rest.slice(at + 1)) ?? [];
  return `${protocol}${at === -1 ? '' : '***@'}${host}`;
}

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** A list of `host:port`, separated by commas. An IPv6 address has brackets. */
export function addresses(about: string): Setting<readonly HostAndPort[]> {
  const accepts = 'host:port, separated by commas';
  const parse = (one: string): HostAndPort => {
    const [, host, port] = /^\[?([^\s/@]+?)\]?:(\d{1,5})$/.exec(one.trim()) ?? [];
    if (host === undefined || Number(port) > 65_535)
      throw new SettingError(`must be a list of ${accepts}`);
    return { host, port: Number(port) };
  };
  // An invalid list is often a list of URLs, with passwords.
  return setting(accepts, [], about, (value) => value.split(',').map(parse), showNothing);
}

/** A list of addresses and networks such as 10.0.0.0/8, separated by commas. */
export function networks(about: string): Setting<readonly string[]> {
  const accepts = 'addresses and networks such as 10.0.0.0/8, separated by commas';
  const parse = (one: string): string => {
    const [address = '', prefix, ...more] = one.trim().split('/');
    const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
    if (bits === -1 || !isPrefix || more.length > 0)
      throw new SettingError(`must be a list of ${accepts}`);
    return one.trim();
  };
  return setting(accepts, [], about, (value) => value.split(',').map(parse));
}

const GRANT_ROLES = ['ingest', 'read', 'write', 'admin'] as const;

/** What the users of a group may do. */
export interface GroupGrant {
  readonly group: string;
  readonly role: (typeof GRANT_ROLES)[number];
  readonly scope: string;
}

/** A list of `group=role@scope`, separated by commas. */
export function grants(about: string): Setting<readonly GroupGrant[]> {
  const accepts = '`group=role@scope`, separated by commas';
  return setting(accepts, [], about, (value) =>
    value.split(',').map((one) => {
      const [, group, name, scope] =
        /^(.+)=(\w+)@(\*|[^\s@/]+(?:\/[^\s@/]+)?)$/.exec(one.trim()) ?? [];
      const role = GRANT_ROLES.find((known) => known === name);
      if (group === undefined || role === undefined || scope === undefined) {
        throw new SettingError(`must be a list of ${accepts}`);
      }
      return { group, role, scope };
    }),
  );
}

export function integer(
  fallback: number,
  range: { min: number; max: number },
  about: string,
): Setting<number> {
  const accepts = `integer ${range.min}–${range.max}`;
  return setting(accepts, fallback, about, (value) => {
    const number = Number(value);
    const fits = /^\d+$/.test(value) && number >= range.min && number <= range.max;
    if (!fits) throw new SettingError(`must be an ${accepts}`);
    return number;
  });
}

/** A share of a whole. */
export function ratio(fallback: number, about: string): Setting<number> {
  const accepts = 'number 0–1, such as 0.01';
  return setting(accepts, fallback, about, (value) => {
    const isDecimal = /^(\d+(\.\d*)?|\.\d+)$/.test(value);
    if (!isDecimal || Number(value) > 1) throw new SettingError(`must be a ${accepts}`);
    return Number(value);
  });
}

/** A list of `name=value`, separated by commas, as `OTEL_EXPORTER_OTLP_HEADERS` has it. */
export function headers(about: string): Setting<Readonly<Record<string, string>>> {
  const accepts = '`name=value`, separated by commas';
  const parse = (one: string): [string, string] => {
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)=(.*)$/.exec(one) ?? [];
    const decoded = value === undefined ? undefined : decodedHeader(value);
    if (name === undefined || decoded === undefined)
      throw new SettingError(`must be a list of ${accepts}, with percent-encoded values`);
    return [name.toLowerCase(), decoded];
  };
  const parseAll = (text: string) => Object.fromEntries(text.split(',').map(parse));
  return setting(accepts, {}, about, parseAll, showNothing);
}

/** Undefined when it cannot be the value of a header. */
function decodedHeader(text: string): string | undefined {
  try {
    const value = decodeURIComponent(text.trim());
    return /^[\x20-\x7e]*$/.test(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function choice<T extends string>(
  fallback: T,
  choices: readonly T[],
  about: string,
): Setting<T> {
  const accepts = choices.map((one) => `\`${one}\``).join(', ');
  return setting(accepts, fallback, about, (value) => {
    const chosen = choices.find((one) => one === value);
    if (chosen === undefined) throw new SettingError(`must be one of ${choices.join(', ')}`);
    return chosen;
  });
}
