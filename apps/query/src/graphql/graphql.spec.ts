import { admin } from '@app/auth';
import { graphqlResponse, operationIn, projectsIn } from './graphql.js';

const ann = admin('ann');

describe('the GraphQL operations of a starting client', () => {
  it.each([
    ['query DefaultEntity { viewer { username defaultEntity { name } } }', 'DefaultEntity'],
    ['\n  query Project($name: String!, $entityName: String!) { project { name } }', 'Project'],
    ['mutation UpsertModel($name: String) { upsertModel { model { name } } }', 'UpsertModel'],
  ])('are recognised by name: %s', (query, operation) => {
    expect(operationIn(query)).toBe(operation);
  });

  it.each(['query Secrets { x }', '{ viewer { username } }', 'query constructor { x }', ''])(
    'exclude every other query: %s',
    (query) => {
      expect(operationIn(query)).toBeUndefined();
    },
  );

  it('return the requested names, since every project exists', () => {
    expect(graphqlResponse('Project', ann, { entityName: 'acme', name: 'demo' })).toEqual({
      project: { name: 'demo' },
    });
    expect(graphqlResponse('DefaultEntity', ann, {})).toEqual({
      viewer: { username: 'ann', defaultEntity: { name: 'ann' } },
    });
    expect(graphqlResponse('UpsertModel', ann, { entity: 'acme', name: 'demo' })).toEqual({
      upsertModel: { model: { name: 'demo', description: null } },
    });
  });

  it('return the entity of a key that is restricted to one', () => {
    const restricted = { ...ann, scope: 'acme/demo' };

    expect(graphqlResponse('DefaultEntity', restricted, {})).toEqual({
      viewer: { username: 'ann', defaultEntity: { name: 'acme' } },
    });
  });

  it('have the projects that their variables name', () => {
    expect(projectsIn({ entityName: 'acme', name: 'demo' })).toEqual(['acme/demo']);
    expect(projectsIn({ entity: 'acme', name: 'demo' })).toEqual(['acme/demo']);
    expect(projectsIn({ entityName: 'a', entity: 'b', name: 'c' })).toEqual(['a/c', 'b/c']);
    expect(projectsIn({ name: 'demo' })).toEqual([]);
  });
});
