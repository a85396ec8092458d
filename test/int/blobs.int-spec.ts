import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import S3rver from 's3rver';
import { Blobs } from '@app/blobs';
import { temporaryDirectory } from '../support/processes.js';

const MiB = 1024 * 1024;

describe('files in a bucket', () => {
  let server: S3rver;
  let blobs: Blobs;
  let config: ConstructorParameters<typeof Blobs>[0];
  const projectId = 'acme/demo';

  beforeAll(async () => {
    server = new S3rver({
      port: 0,
      silent: true,
      directory: temporaryDirectory(),
      configureBuckets: [{ name: 'files' }],
    });
    const { port } = await server.run();
    const url = `http://127.0.0.1:${port}`;
    const [bucket, region] = ['files', 'us-east-1'];
    config = { bucket, url, region, prefix: 'heddle', keyId: 'S3RVER', secret: 'S3RVER' };
    blobs = new Blobs(config);
  });

  afterAll(async () => {
    await blobs.close();
    await server.close();
  });

  const read = async (digest: string, start: number, end: number) => {
    const pieces: Buffer[] = [];
    for await (const piece of blobs.get(projectId, digest, { start, end })) pieces.push(piece);
    return Buffer.concat(pieces);
  };

  it.each([1, 12 * MiB + 7])('are read back whole and in ranges: %d bytes', async (size) => {
    const bytes = randomBytes(size);
    const digest = randomUUID();
    await blobs.put(projectId, digest, Readable.from([bytes]));
    await blobs.put(projectId, digest, Readable.from([bytes]));

    expect((await read(digest, 0, size)).equals(bytes)).toBe(true);
    expect(await read(digest, size - 1, size)).toEqual(bytes.subarray(-1));
    expect(await read(digest, 5, 5)).toEqual(Buffer.alloc(0));
  });

  it('are listed and removed by project, without those of a project with the same prefix', async () => {
    const listed = async (project: string) => {
      const found: string[] = [];
      for await (const digest of blobs.digests(project)) found.push(digest);
      return found.sort();
    };
    const digests = Array.from({ length: 40 }, (_, n) => `d${String(n).padStart(2, '0')}`);
    for (const digest of digests) await blobs.put('acme/list', digest, Readable.from(['x']));
    await blobs.put('acme/list-too', 'other', Readable.from(['x']));

    expect(await listed('acme/list')).toEqual(digests);
    await blobs.remove('acme/list', [...digests.slice(1), 'never-there']);
    expect(await listed('acme/list')).toEqual(['d00']);
    expect(await listed('acme/list-too')).toEqual(['other']);
  });

  it('are unavailable when the bucket is missing or not configured', async () => {
    const elsewhere = new Blobs({ ...config, bucket: 'nowhere' });
    const put = elsewhere.put(projectId, 'd', Readable.from(['x']));
    await expect(put).rejects.toMatchObject({
      code: 'storage_unavailable',
      message: /NoSuchBucket/,
    });
    await elsewhere.close();
    const none = new Blobs({ ...config, bucket: '' });
    expect(none.isConfigured).toBe(false);
    const got = none.get(projectId, 'd', { start: 0, end: 1 }).next();
    await expect(got).rejects.toMatchObject({ message: /FILES_S3_BUCKET/ });
  });
});
