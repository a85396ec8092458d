import { AccessDenied } from './access-denied.js';
import { admin } from './key-ring.js';
import { requireAccess } from './project-access.js';

const nobody = { ...admin('eve'), scope: '' };

describe('access to projects', () => {
  it('is given everywhere to a key for every project', () => {
    expect(() => requireAccess(admin('ann'), 'write', ['a/b', 'c/d'])).not.toThrow();
  });

  it('is denied with the action and the project in the sentence', () => {
    expect(() => requireAccess(nobody, 'write', ['a/b'])).toThrow(
      new AccessDenied('forbidden', 'This API key may not write in a/b.'),
    );
  });

  it('is not asked for when there is no project', () => {
    expect(() => requireAccess(nobody, 'read', [])).not.toThrow();
  });
});
