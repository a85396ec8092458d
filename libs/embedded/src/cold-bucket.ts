import { StartupError } from '@app/config';
import { messageOf } from '@app/errors';

const RESPONDS_WITHIN_MS = 8000;

type Environment = Readonly<Record<string, string | undefined>>;

export const isBucket = (place: string): boolean => place.startsWith('s3://');

/**
 * The HTTP address of `s3://bucket/prefix`, with the variables of the AWS tools. Path style: servers other than S3 itself have no
 * host name per bucket.
 */
export function bucketAddress(place: string, env: Environment = process.env): string {
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,62})(?:\/(.*))?$/.exec(place) ?? [];
  if (bucket === undefined)
    throw new StartupError(`COLD_DIR must be a directory or s3://bucket/prefix, not ${place}.`);
  const region = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || 'us-east-1';
  const endpoint =
    env['AWS_ENDPOINT_URL_S3'] || env['AWS_ENDPOINT_URL'] || `https://s3.${region}.amazonaws.com`;
  const parts = [endpoint, bucket, path].map((part) => part.replace(/\/+$/, ''));
  return `${parts.filter((part) => part !== '').join('/')}/`;
}

/** The variables with which ClickHouse finds its credentials for a bucket. */
export function bucketEnvironment(env: Environment = process.env): Record<string, string> {
  const found = Object.entries(env).filter(([name]) => name.startsWith('AWS_'));
  return Object.fromEntries(found) as Record<string, string>;
}

/** ClickHouse would start with a bucket that does not exist, and move nothing to it. Credentials are not checked. */
export async function requireBucket(place: string, address: string): Promise<void> {
  const signal = AbortSignal.timeout(RESPONDS_WITHIN_MS);
  const response = await fetch(address, { method: 'HEAD', signal }).catch((error: Error) => error);
  const reason = response instanceof Error ? messageOf(response) : `${response.status}`;
  const isUsable = !(response instanceof Error) && response.status < 500 && response.status !== 301;
  if (isUsable) return;
  throw new StartupError(
    `${place} cannot be reached at ${new URL(address).host} (${reason}); correct COLD_DIR, AWS_REGION or AWS_ENDPOINT_URL_S3.`,
  );
}
