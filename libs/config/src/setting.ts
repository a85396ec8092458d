import { HeddleError } from '@app/errors';

/** One environment variable: its parser, its default and its documentation. */
export interface Setting<T> {
  readonly parse: (text: string) => T;
  readonly fallback: T;
  readonly accepts: string;
  readonly about: string;
  /** A secret is never printed, not even in an error. */
  readonly secret: boolean;
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
  secret = false,
): Setting<T> => ({ accepts, fallback, about, parse, secret });

export function text(fallback: string, about: string): Setting<string> {
  return setting('text', fallback, about, (value) => value);
}

export function secret(about: string): Setting<string> {
  return setting('text', '', about, (value) => value, true);
}

export function url(
  fallback: string,
  protocols: readonly string[],
  about: string,
): Setting<string> {
  const accepts = `URL starting with ${protocols.map((p) => `${p}//`).join(' or ')}`;
  return setting(accepts, fallback, about, (value) => {
    const protocol = URL.canParse(value) ? new URL(value).protocol : '';
    if (!protocols.includes(protocol)) throw new SettingError(`must be a ${accepts}`);
    return value;
  });
}

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** A list of `host:port`, separated by commas. An IPv6 address has brackets. */
export function addresses(about: string): Setting<readonly HostAndPort[]> {
  const accepts = 'host:port, separated by commas';
  return setting(accepts, [], about, (value) =>
    value.split(',').map((one) => {
      const [, host, port] = /^\[?([^\s/@]+?)\]?:(\d{1,5})$/.exec(one.trim()) ?? [];
      if (host === undefined || Number(port) > 65_535) {
        throw new SettingError(`must be a list of ${accepts}`);
      }
      return { host, port: Number(port) };
    }),
  );
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
