import type { Redis } from '@app/redis';
import { ProjectBacklog } from './project-backlog.js';

type Hget = (key: string, project: string) => Promise<string>;

/** The limit over a Redis that knows only `hget`. */
function backlogOver(hget: Hget, maxPendingBytes = 1000): ProjectBacklog {
  const unlimited = { maxFactsPerSecond: 0, maxRequestsPerSecond: 0, maxBytesPerSecond: 0 };
  const redis = { hget } as unknown as Redis;
  return new ProjectBacklog(redis, { limits: { ...unlimited, maxPendingBytes } });
}

/** The limit over a Redis that knows how many bytes each project has waiting. */
const backlog = (bytes: Record<string, number>, max?: number) =>
  backlogOver((_, project) => Promise.resolve(String(bytes[project] ?? 0)), max);

describe('the bytes that a project may have waiting', () => {
  it('are counted with the request itself', async () => {
    const some = backlog({ 'a/b': 900 });

    await some.letIn('a/b', 100);
    await expect(backlog({ 'a/b': 900 }).letIn('a/b', 101)).rejects.toMatchObject({
      code: 'queue_full',
      message: 'a/b has 900 bytes waiting and may have 1000; send more when they are stored.',
    });
    await some.letIn('a/other', 1000);
  });

  it('are asked for anew, however long ago a request was refused', async () => {
    const bytes = { 'a/b': 1000 };
    const some = backlog(bytes);

    for (let i = 0; i < 3; i++) {
      await expect(some.letIn('a/b', 1)).rejects.toMatchObject({ code: 'queue_full' });
    }
    bytes['a/b'] = 0;
    await some.letIn('a/b', 1000);
  });

  it('count what is on its way to Redis, until it is there', async () => {
    const some = backlog({});

    const [written] = await Promise.all([some.letIn('a/b', 600), some.letIn('a/b', 400)]);
    await expect(some.letIn('a/b', 1)).rejects.toMatchObject({ code: 'queue_full' });
    written();
    await some.letIn('a/b', 600);
  });

  it('may be passed by one request that is larger, when nothing else waits', async () => {
    const some = backlog({ 'a/busy': 1 });

    await some.letIn('a/idle', 5000);
    await expect(some.letIn('a/busy', 5000)).rejects.toMatchObject({ code: 'queue_full' });
  });

  it('are any number unless somebody sets a limit, and then nobody is asked', async () => {
    const deaf = () => Promise.reject(new Error('asked'));

    await backlogOver(deaf, 0).letIn('a/b', 2 ** 40);
    await expect(backlogOver(deaf, 1).letIn('a/b', 1)).rejects.toMatchObject({
      code: 'queue_unavailable',
    });
  });
});
