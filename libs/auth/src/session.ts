import type { IncomingHttpHeaders } from 'node:http';
import { millis, type Millis } from '@app/wire';
import { hashOf, keyIdOf } from './api-key.js';
import type { Grant, Principal } from './project-access.js';

/** A session ends when it was not used for this long. */
const SESSION_IDLE_MS = 12 * 3_600_000;
/** A session ends this long after the login, however often it is used. */
export const SESSION_MAX_MS = 7 * 24 * 3_600_000;
/** Shorter for a login by an OpenID Connect issuer, which does not tell us when the user loses a group. */
const OPEN_ID_SESSION_MAX_MS = 12 * 3_600_000;

/** Whose session it is: the owner of a key, of which only the hash is stored, or a user whom an issuer vouches for. */
export type SessionOwner = { readonly keyHash: string } | { readonly grant: Grant };

/** A login of the page. With a key it permits what the key permits, and ends with it. */
export type Session = SessionOwner & { readonly createdAt: Millis };

/** Stands for a user without a key in limits and in the audit log. */
export const openIdKeyId = (user: string): string => `openid-${keyIdOf(hashOf(user))}`;

/** The caller whom an issuer vouches for. */
export const openIdPrincipal = (grant: Grant): Principal => ({
  ...grant,
  keyId: openIdKeyId(grant.user),
});

/** When the session ends however often it is used. */
export const sessionEnd = (session: Session): Millis =>
  millis(session.createdAt + ('grant' in session ? OPEN_ID_SESSION_MAX_MS : SESSION_MAX_MS));

/** How long Redis keeps a session that is used now; 0 or less when it has ended. */
export const sessionLifetimeMs = (session: Session, now: Millis): number =>
  Math.min(SESSION_IDLE_MS, sessionEnd(session) - now);

/** The part of a request that decides which cookie it may have. */
export interface CookieRequest {
  readonly headers: IncomingHttpHeaders;
  /** `https` also behind a trusted proxy that ends TLS. */
  readonly protocol?: string;
}

/** The session, and a login by an issuer that has begun. */
type CookieName = 'heddle' | 'heddle-login';

/** Browsers accept the prefix `__Host-` only over TLS, from this host and for every path. Over plain http there is none. */
const fullName = (name: CookieName, { protocol }: CookieRequest) =>
  protocol === 'https' ? `__Host-${name}` : name;

function cookieIn(name: CookieName, request: CookieRequest): string | undefined {
  const start = `${fullName(name, request)}=`;
  const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(start))?.slice(start.length) || undefined;
}

interface Cookie {
  readonly name: CookieName;
  readonly value: string;
  readonly maxAgeSeconds: number;
  /** `Lax` cookies are also sent when a link of another site opens this one. */
  readonly sameSite: 'Strict' | 'Lax';
}

/** Scripts cannot read the cookie. */
function printCookie(cookie: Cookie, request: CookieRequest): string {
  const { name, value, maxAgeSeconds, sameSite } = cookie;
  const secure = request.protocol === 'https' ? '; Secure' : '';
  return `${fullName(name, request)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure}`;
}

const strictCookie = (value: string, maxAgeSeconds: number, request: CookieRequest): string =>
  printCookie({ name: 'heddle', value, maxAgeSeconds, sameSite: 'Strict' }, request);

/** The secret of the session in the Cookie header; undefined when there is none. */
export const sessionIn = (request: CookieRequest): string | undefined =>
  cookieIn('heddle', request);

/** The Set-Cookie header that starts a session. Other sites cannot make a browser send the cookie. */
export const sessionCookie = (secret: string, request: CookieRequest): string =>
  strictCookie(secret, SESSION_MAX_MS / 1000, request);

/** The Set-Cookie header that removes the cookie. */
export const endedCookie = (request: CookieRequest): string => strictCookie('', 0, request);

/** How long a user has to log in at the issuer. */
const LOGIN_MAX_SECONDS = 600;

/** A login at an issuer that has begun. Only the browser stores it: it cannot be used by another one. */
export interface BegunLogin {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The path of the page to open after the login. */
  readonly returnTo: string;
}

/** The Set-Cookie header for a login that begins; it is read when the issuer sends the browser back. */
export const loginCookie = (login: BegunLogin | undefined, request: CookieRequest): string =>
  printCookie(
    {
      name: 'heddle-login',
      value: login ? Buffer.from(JSON.stringify(login)).toString('base64url') : '',
      maxAgeSeconds: login ? LOGIN_MAX_SECONDS : 0,
      sameSite: 'Lax',
    },
    request,
  );

/** The login that has begun in this browser; undefined when there is none. */
export function loginIn(request: CookieRequest): BegunLogin | undefined {
  const text = Buffer.from(cookieIn('heddle-login', request) ?? '', 'base64url').toString('utf8');
  const login = parsedObject(text);
  const isComplete = ['state', 'nonce', 'verifier', 'returnTo'].every(
    (name) => typeof login[name] === 'string',
  );
  return isComplete ? (login as unknown as BegunLogin) : undefined;
}

function parsedObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/**
 * Whether the request has the header of our page. A page of another origin cannot set it without a preflight, which we
 * refuse. SameSite alone does not suffice: pages at other ports of the same host belong to the same site.
 */
export const isFromPage = ({ headers }: CookieRequest): boolean => headers['x-heddle-page'] === '1';
