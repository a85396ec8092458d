import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from './problems.js';

const HARMLESS = ['GET', 'HEAD', 'OPTIONS'];

interface Asked {
  readonly method: string;
  /** As the client wrote it, whatever proxies are between. */
  readonly host: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Whether a page of somebody else makes a browser ask this. A browser that has once been given a key for our pages sends it
 * with every request to us, whoever made it ask. Programs send neither of these headers.
 */
export function isCrossSite({ method, host, headers }: Asked, allowed: readonly string[]): boolean {
  const { origin } = headers;
  if (HARMLESS.includes(method) || (origin !== undefined && allowed.includes(origin))) return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  // Browsers say nothing about the site over plain http, and old ones never.
  return origin !== undefined && hostOf(origin) !== host.toLowerCase();
}

const hostOf = (origin: string): string | undefined =>
  URL.canParse(origin) ? new URL(origin).host : undefined;

/** Before anybody is asked who they are. */
export function refuseCrossSite(fastify: FastifyInstance, allowed: readonly string[]): void {
  fastify.addHook('onRequest', async ({ method, host, headers }) => {
    if (isCrossSite({ method, host, headers }, allowed)) throw new ProblemError('cross_site');
  });
}
