import type { IncomingHttpHeaders } from 'node:http';
import { millis, type Millis } from '@app/wire';

/** A session ends when it was not used for this long. */
const SESSION_IDLE_MS = 12 * 3_600_000;
/** A session ends this long after the login, however often it is used. */
export const SESSION_MAX_MS = 7 * 24 * 3_600_000;

/** A login of the page. It permits what its key permits, and ends with it. */
export interface Session {
  /** Only the hash of the key is stored. */
  readonly keyHash: string;
  readonly createdAt: Millis;
}

/** When the session ends however often it is used. */
export const sessionEnd = ({ createdAt }: Session): Millis => millis(createdAt + SESSION_MAX_MS);

/** How long Redis keeps a session that is used now; 0 or less when it has ended. */
export const sessionLifetimeMs = (session: Session, now: Millis): number =>
  Math.min(SESSION_IDLE_MS, sessionEnd(session) - now);

/** The part of a request that decides which cookie it may have. */
export interface CookieRequest {
  readonly headers: IncomingHttpHeaders;
  /** `https` also behind a trusted proxy that ends TLS. */
  readonly protocol?: string;
}

/** Browsers accept the prefix `__Host-` only over TLS, from this host and for every path. Over plain http there is none. */
const cookieName = ({ protocol }: CookieRequest) =>
  protocol === 'https' ? '__Host-heddle' : 'heddle';

/** The secret of the session in the Cookie header; undefined when there is none. */
export function sessionIn(request: CookieRequest): string | undefined {
  const start = `${cookieName(request)}=`;
  const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(start))?.slice(start.length) || undefined;
}

/** The Set-Cookie header that starts a session. Scripts cannot read the cookie, and other sites cannot make a browser send it. */
export const sessionCookie = (secret: string, request: CookieRequest): string =>
  printCookie(secret, SESSION_MAX_MS / 1000, request);

/** The Set-Cookie header that removes the cookie. */
export const endedCookie = (request: CookieRequest): string => printCookie('', 0, request);

function printCookie(value: string, maxAgeSeconds: number, request: CookieRequest): string {
  const secure = request.protocol === 'https' ? '; Secure' : '';
  return `${cookieName(request)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}

/**
 * Whether the request has the header of our page. A page of another origin cannot set it without a preflight, which we
 * refuse. SameSite alone does not suffice: pages at other ports of the same host belong to the same site.
 */
export const isFromPage = ({ headers }: CookieRequest): boolean => headers['x-heddle-page'] === '1';
