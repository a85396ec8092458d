import { bucketAddress, bucketEnvironment, requireBucket } from './cold-bucket.js';

describe('a bucket for old data', () => {
  it.each([
    ['s3://bkt/p', {}, 'https://s3.us-east-1.amazonaws.com/bkt/p/'],
    ['s3://bkt', { AWS_REGION: 'eu-central-1' }, 'https://s3.eu-central-1.amazonaws.com/bkt/'],
    [
      's3://bkt/p/q/',
      { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9000/' },
      'http://127.0.0.1:9000/bkt/p/q/',
    ],
  ])('has the address of %s with %j', (place, env, address) => {
    expect(bucketAddress(place, env)).toBe(address);
  });

  it('is refused without a valid name', () => {
    for (const place of ['s3://', 's3:///p', 's3://A/p', 's3://b b/p'])
      expect(() => bucketAddress(place, {})).toThrow('COLD_DIR must be');
  });

  it('is refused when nothing responds at its address', async () => {
    await expect(requireBucket('s3://bkt/p', 'http://127.0.0.1:1/bkt/p/')).rejects.toThrow(
      /s3:\/\/bkt\/p cannot be reached at 127\.0\.0\.1:1 \(.*\); correct COLD_DIR/,
    );
  });

  it('gives ClickHouse the variables of AWS and no other', () => {
    const env = { AWS_ACCESS_KEY_ID: 'a', HEDDLE_API_KEY: 'k' };
    expect(bucketEnvironment(env)).toEqual({ AWS_ACCESS_KEY_ID: 'a' });
  });
});
