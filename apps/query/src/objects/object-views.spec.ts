import type { ObjectRow } from './objects.sql.js';
import {
  DATASET_VIEW,
  EVALUATION_VIEW,
  isOfView,
  MODEL_VIEW,
  ObjectValue,
  OP_VIEW,
  shownVersion,
} from './object-views.js';

const aRow = (val: string, more: Partial<ObjectRow> = {}) =>
  ({
    object_id: 'thing',
    digest: 'd',
    idx: 3,
    created: 1_700_000_000_000_000,
    kind: 'object',
    base: 'Model',
    val,
    ...more,
  }) as ObjectRow;

describe('the view of a version', () => {
  it('has the attributes of a model as the exact text that was published', () => {
    const row = aRow(
      '{"_type":"M","name":"m","t":1.0,"files":{"obj.py":"f"},"big":12345678901234567890}',
    );

    expect(shownVersion(MODEL_VIEW, row, 'class M: ...')).toBe(
      '{"object_id":"thing","digest":"d","version_index":3,"created_at":"2023-11-14T22:13:20.000000Z",' +
        '"name":"m","description":null,"source_code":"class M: ...","attributes":{"t":1.0,"big":12345678901234567890}}',
    );
  });

  it('has a value for every field, whatever was published', () => {
    const row = aRow('{"name":7,"dataset":{},"scorers":["a",{"b":1}],"trials":"two"}');

    expect(JSON.parse(shownVersion(EVALUATION_VIEW, row, ''))).toMatchObject({
      name: 'thing',
      description: null,
      dataset: '',
      scorers: ['a'],
      trials: 1,
      evaluate_op: null,
    });
    for (const val of ['[]', '1', '"x"', 'null'])
      expect(JSON.parse(shownVersion(DATASET_VIEW, aRow(val), ''))).toMatchObject({ rows: '' });
  });

  it('finds the file with the code', () => {
    expect(new ObjectValue(aRow('{"files":{"obj.py":"f"}}')).codeDigest).toBe('f');
    for (const val of ['{"files":null}', '{"files":{"obj.py":1}}', '{"files":[]}', '{}', '3'])
      expect(new ObjectValue(aRow(val)).codeDigest).toBeUndefined();
  });

  it('is only of versions of its class', () => {
    expect(isOfView(MODEL_VIEW, aRow('{}'))).toBe(true);
    expect(isOfView(DATASET_VIEW, aRow('{}'))).toBe(false);
    expect(isOfView(OP_VIEW, aRow('{}'))).toBe(false);
    expect(isOfView(OP_VIEW, aRow('{}', { kind: 'op', base: '' }))).toBe(true);
  });
});
