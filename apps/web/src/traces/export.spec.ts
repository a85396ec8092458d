import { columnsOf, nameColumnOf } from './column-list.js';
import { exportRequest } from './export.js';

describe('the export of a list', () => {
  it('has the columns of the list in its order, after the id', () => {
    const cols = 'input~420,inputs.customer,feedback,id,cost';
    const columns = [nameColumnOf(cols), ...columnsOf(cols)];

    expect(exportRequest({ project_id: 'a/b' }, columns, 'parquet')).toEqual({
      project_id: 'a/b',
      format: 'parquet',
      columns: [
        'id',
        'summary.weave.trace_name',
        'inputs',
        'inputs.customer',
        'feedback',
        'summary.weave.total_cost',
      ],
    });
  });
});
