import { savedView, searchOf, viewName } from './saved-view.js';

describe('a saved view', () => {
  const search = {
    q: 'status = error and inputs.customer = c7',
    last: '24h',
    cols: 'cost,inputs.customer~90',
    sort: '-summary.weave.total_cost',
  };

  it('describes the list for the SDKs: filter, query, columns and order', () => {
    const { view_type, label, definition } = savedView('Bad days', 'a/b', search);

    expect([view_type, label]).toEqual(['traces', 'Bad days']);
    expect(definition).toMatchObject({
      filter: { trace_roots_only: true },
      query: {
        $expr: {
          $and: [
            { $eq: [{ $getField: 'summary.weave.status' }, { $literal: 'error' }] },
            { $eq: [{ $getField: 'inputs.customer' }, { $literal: 'c7' }] },
          ],
        },
      },
      sort_by: [{ field: 'summary.weave.total_cost', direction: 'desc' }],
      columns: [
        { path: ['summary', 'weave', 'trace_name'], label: 'Op' },
        { path: ['summary', 'weave', 'total_cost'], label: 'Cost' },
        { path: ['inputs', 'customer'], label: 'inputs.customer' },
      ],
    });
  });

  it('of this page restores exactly the same list, but not whether it was live', () => {
    const view = savedView('Bad days', 'a/b', { ...search, live: 'off', view: 'x' });
    expect(searchOf(JSON.parse(JSON.stringify(view)) as typeof view)).toEqual(search);
  });

  it('of Python is read with its names of operators, columns and order', () => {
    const definition = {
      _type: 'SavedViewDefinition',
      filter: { op_names: ['weave:///a/b/op/respond:*'], trace_roots_only: null },
      query: {
        _type: 'Query',
        expr_: {
          and_: [
            { _type: 'EqOperation', eq_: [{ get_field_: 'inputs.a' }, { literal_: 'x' }] },
            {
              not_: [{ contains_: { input: { get_field_: 'output' }, substr: { literal_: 'y' } } }],
            },
          ],
        },
      },
      columns: [{ path: ['summary', 'weave', 'status'] }, { path: ['inputs', 'a.b', 0] }],
      sort_by: [{ field: 'started_at', direction: 'asc' }],
    };

    expect(searchOf({ view_type: 'traces', label: 'x', definition })).toEqual({
      q:
        'op ~ "weave:///a/b/op/respond:" and (inputs.a = x and ' +
        'not {"$contains":{"input":{"$getField":"output"},"substr":{"$literal":"y"}}})',
      calls: 'all',
      cols: 'status,inputs.a\\.b.0',
      sort: 'started_at',
    });
  });

  it('of evaluations shows the evaluations', () => {
    expect(searchOf({ view_type: 'evaluations', label: 'x', definition: {} }).q).toBe(
      'op ~ "Evaluation.evaluate"',
    );
  });

  it('gets a name that no other view has', () => {
    expect(viewName(' Bad days! ', [])).toBe('Bad-days');
    expect(viewName('Bad days', ['Bad-days', 'Bad-days-2'])).toBe('Bad-days-3');
  });
});
