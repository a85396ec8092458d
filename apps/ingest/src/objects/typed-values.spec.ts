import { EvaluationCreateRecord, ModelCreateRecord } from '@app/contracts';
import { JsonText } from '@app/wire';
import { evaluationValue, modelValue, objectIdOf } from './typed-values.js';

const aModel = (attributes: string) =>
  Object.assign(new ModelCreateRecord(), {
    name: 'm',
    source_code: '',
    attributes: new JsonText(Buffer.from(attributes)),
  });

describe('the id of an object', () => {
  it('is its name in lower case with underscores', () => {
    expect(objectIdOf('My Data/Set: v.1-a', 'Dataset')).toBe('my_data_set_v.1-a');
    expect(objectIdOf('Größe 2', 'Dataset')).toBe('größe_2');
  });

  it('is the name of its class when it has none', () => {
    expect(objectIdOf(null, 'Dataset')).toBe('Dataset');
  });

  it('is refused when nothing of the name is left or the name is too long', () => {
    for (const name of ['', '?!', 'x'.repeat(129)])
      expect(() => objectIdOf(name, 'Dataset')).toThrow('1 to 128');
    expect(() => objectIdOf('x'.repeat(101), 'Scorer', 100)).toThrow('1 to 100');
  });
});

describe('the value of an object of a class', () => {
  it('has the attributes of the client as the exact text', () => {
    const value = modelValue(aModel('{"t": 1.0, "n": 123456789012345678901234567890}'), 'd');

    expect(value.toString()).toContain(
      '"files":{"obj.py":"d"},"t":1.0,"n":123456789012345678901234567890}',
    );
  });

  it('is refused with attributes that would change what it is', () => {
    for (const name of ['_type', '_class_name', '_other', 'name', 'files', '\\u006eame'])
      expect(() => modelValue(aModel(`{"${name}":1}`), 'd')).toThrow('attributes must not have');
  });

  it('has one trial and no scorers by default', () => {
    const record = Object.assign(new EvaluationCreateRecord(), { name: 'e', dataset: 'ref' });
    const ops = { evaluate: 'e', predict_and_score: 'p', summarize: 's' };

    expect(JSON.parse(evaluationValue(record, ops).toString())).toMatchObject({
      _class_name: 'Evaluation',
      dataset: 'ref',
      scorers: [],
      trials: 1,
      ...ops,
    });
  });
});
