import { admin } from '@app/auth';
import { graphqlResponse, operationIn, projectsIn } from './graphql.js';

const ann = admin('ann');

describe('the questions at start-up', () => {
  it.each([
    ['query DefaultEntity { viewer { username defaultEntity { name } } }', 'DefaultEntity'],
    ['\n  query Project($name: String!, $entityName: String!) { project { name } }', 'Project'],
    ['mutation UpsertModel($name: String) { upsertModel { model { name } } }', 'UpsertModel'],
  ])('are known by their names: %s', (query, operation) => {
    expect(operationIn(query)).toBe(operation);
  });

  it.each(['query Secrets { x }', '{ viewer { username } }', 'query constructor { x }', ''])(
    'are the only ones: %s',
    (query) => {
      expect(operationIn(query)).toBeUndefined();
    },
  );

  it('are answered with what was asked for: every project is there', () => {
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

  it('are answered with the entity of a key that has one', () => {
    const asking = { ...ann, scope: 'acme/demo' };

    expect(graphqlResponse('DefaultEntity', asking, {})).toEqual({
      viewer: { username: 'ann', defaultEntity: { name: 'acme' } },
    });
  });

  it('name projects or none', () => {
    expect(projectsIn({ entityName: 'acme', name: 'demo' })).toEqual(['acme/demo']);
    expect(projectsIn({ entity: 'acme', name: 'demo' })).toEqual(['acme/demo']);
    expect(projectsIn({ entityName: 'a', entity: 'b', name: 'c' })).toEqual(['a/c', 'b/c']);
    expect(projectsIn({ name: 'demo' })).toEqual([]);
  });
});
