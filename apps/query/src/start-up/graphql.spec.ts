import { answerTo, operationIn, projectIn } from './graphql.js';

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
    expect(answerTo('Project', 'ann', { entityName: 'acme', name: 'demo' })).toEqual({
      project: { name: 'demo' },
    });
    expect(answerTo('DefaultEntity', 'ann', {})).toEqual({
      viewer: { username: 'ann', defaultEntity: { name: 'ann' } },
    });
    expect(answerTo('UpsertModel', 'ann', { entity: 'acme', name: 'demo' })).toEqual({
      upsertModel: { model: { name: 'demo', description: null } },
    });
  });

  it('name a project or none', () => {
    expect(projectIn({ entityName: 'acme', name: 'demo' })).toBe('acme/demo');
    expect(projectIn({ entity: 'acme', name: 'demo' })).toBe('acme/demo');
    expect(projectIn({ name: 'demo' })).toBeUndefined();
  });
});
