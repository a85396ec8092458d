import type { Redis } from '@app/redis';
import { flawOf } from './confusable-project.js';
import { NewProjects } from './new-projects.js';

const NO_LIMIT = { limits: { maxNewPerHour: 0 } } as ConstructorParameters<typeof NewProjects>[1];

/** A Redis that counts facts of every project, or of none. */
const projectsOf = (count: string | null) =>
  new NewProjects(
    {
      hmget: (_key: string, ...fields: string[]) => Promise.resolve(fields.map(() => count)),
    } as unknown as Redis,
    NO_LIMIT,
  );

const CONFUSABLE: [reason: RegExp, projectId: string][] = [
  [/space/, 'acme/demo '],
  [/space/, ' acme/demo'],
  [/space/, 'acme /demo'],
  [/space/, 'acme/\u00a0demo'],
  [/invisible/, 'acme/de\u200bmo'],
  [/invisible/, 'acme/demo\u2060'],
  [/invisible/, 'acme/\u202eomed'],
  [/invisible/, 'acme/de\u00admo'],
  [/invisible/, 'acme/demo\u3164'],
  [/invisible/, 'acme/demo\u2800'],
  [/"acme\/demo"/, 'acme/ｄｅｍｏ'],
  [/"café\/demo"/, 'cafe\u0301/demo'],
];

describe('the id of a new project', () => {
  it.each(CONFUSABLE)('is refused, and the reason says %s: %j', async (reason, projectId) => {
    await expect(projectsOf(null).admit('ann', ['acme/demo', projectId])).rejects.toMatchObject({
      code: 'invalid_project_id',
      message: expect.stringMatching(reason),
    });
  });

  it('is accepted whatever it is when the project has facts already', async () => {
    const ids = CONFUSABLE.map(([, projectId]) => projectId);

    await expect(projectsOf('1').admit('ann', ids)).resolves.toBeUndefined();
  });

  it.each(['acme/demo', 'Acme_1/my project', 'a.b-c/d+e@f', 'café/日本語', 'acme/проект', ''])(
    'may be %j',
    async (projectId) => {
      expect(flawOf(projectId)).toBeUndefined();
      await expect(projectsOf(null).admit('ann', [projectId])).resolves.toBeUndefined();
    },
  );
});
