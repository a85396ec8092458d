import { AccessDeniedError } from './access-denied-error.js';
import {
  admin,
  requireAccess,
  requireAdmin,
  requireRefAccess,
  type Action,
  type Principal,
  type Role,
} from './project-access.js';

const key = (role: Role, scope: string): Principal => ({ ...admin('eve'), role, scope });
const isAllowed = (principal: Principal, action: Action, project: string) => {
  try {
    requireAccess(principal, action, [project]);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'forbidden' });
    return false;
  }
};

const ALL = { enter: true, read: true, write: true, change: true, delete: true, admin: true };
const NONE = Object.fromEntries(Object.keys(ALL).map((action) => [action, false])) as typeof ALL;

describe('access to projects', () => {
  it('is granted everywhere to a key for every project', () => {
    expect(() => requireAccess(admin('ann'), 'write', ['a/b', 'c/d'])).not.toThrow();
  });

  it.each([
    ['*', 'acme/demo', true],
    ['acme', 'acme/demo', true],
    ['acme', 'acme', true],
    ['acme/demo', 'acme/demo', true],
    ['acme/demo', 'acme/demo2', false],
    ['acme/demo', 'acme/other', false],
    ['acme', 'acmecorp/demo', false],
    ['acme', 'other/acme', false],
    ['', 'acme/demo', false],
    ['Acme', 'acme/demo', false],
  ])('with the scope %s in %s: %s', (scope, project, expected) => {
    expect(isAllowed(key('admin', scope), 'read', project)).toBe(expected);
  });

  it.each<[Role, Record<Action, boolean>]>([
    ['ingest', { ...NONE, enter: true, write: true }],
    ['read', { ...NONE, enter: true, read: true }],
    ['write', { ...ALL, admin: false }],
    ['admin', ALL],
  ])('is granted to the role %s for its actions only', (role, expected) => {
    const actions = Object.keys(expected) as Action[];
    const found = actions.map((action) => [action, isAllowed(key(role, 'a/b'), action, 'a/b')]);

    expect(Object.fromEntries(found)).toEqual(expected);
  });

  it('is granted to writers, but never to readers, without a project id', () => {
    expect(isAllowed(key('ingest', 'a/b'), 'write', '')).toBe(true);
    expect(isAllowed(key('read', 'a/b'), 'write', '')).toBe(false);
    expect(isAllowed(key('admin', '*'), 'read', '')).toBe(false);
  });

  it('is denied with the role, the action and the project in the sentence', () => {
    expect(() => requireAccess(key('read', '*'), 'write', ['a/b'])).toThrow(
      new AccessDeniedError('forbidden', 'This API key (role read) may not write in a/b.'),
    );
  });

  it('is granted when there is no project to check', () => {
    expect(() => requireAccess(key('read', ''), 'read', [])).not.toThrow();
  });
});

describe('access by refs', () => {
  const owner = key('write', 'acme/demo');
  const follow = (ref: string | null) => () => requireRefAccess(owner, 'read', [ref]);

  it.each([
    'weave:///acme/demo/object/x:1',
    'weave:///acme/demo/op/x:*',
    'weave-trace-internal:///acme/demo/call/1',
    'a plain name',
    '',
    null,
  ])('is granted: %s', (ref) => {
    expect(follow(ref)).not.toThrow();
  });

  it.each([
    'weave:///acme/other/object/x:1',
    'weave:///acme/other/op/x:*',
    'weave:///other/demo/call/1',
    'weave:///acme/other/nonsense',
    'wandb-artifact:///acme/other/thing',
  ])('is denied: %s', (ref) => {
    expect(follow(ref)).toThrow(/may not read/);
  });
});

describe('administration', () => {
  it('is limited to the scope of an admin key', () => {
    expect(() => requireAdmin(key('admin', 'acme'), 'acme/demo')).not.toThrow();
    expect(() => requireAdmin(key('admin', 'acme'), 'acme')).not.toThrow();
    expect(() => requireAdmin(key('admin', 'acme'), '*')).toThrow(
      /does not administer every project/,
    );
    expect(() => requireAdmin(key('admin', 'acme/demo'), 'acme')).toThrow(/acme/);
    expect(() => requireAdmin(key('write', '*'), 'acme')).toThrow(/role write/);
  });
});
