import { turnTexts } from './turn-text.js';

describe('the texts of a turn', () => {
  it('are the last message of the user and the reply of a model', () => {
    const inputs = { messages: [{ role: 'user', content: 'Where to?' }] };
    const output = { choices: [{ message: { role: 'assistant', content: 'Lisbon.' } }] };
    expect(turnTexts(JSON.stringify(inputs), JSON.stringify(output))).toEqual({
      input: 'Where to?',
      reply: 'Lisbon.',
    });
  });

  it('are the only texts of an op, else its JSON', () => {
    const inputs = { self: 'weave:///a/b/object/Agent:x', text: 'Where to?', n: 1 };
    expect(turnTexts(JSON.stringify(inputs), '"Lisbon."')).toEqual({
      input: 'Where to?',
      reply: 'Lisbon.',
    });
    expect(turnTexts('{"a":"x","b":"y"}', '{"n":1}')).toEqual({
      input: '{"a":"x","b":"y"}',
      reply: '{"n":1}',
    });
  });

  it('are the first characters of a payload that is cut, and nothing while a turn runs', () => {
    expect(turnTexts('{"a":"long', 'null')).toEqual({ input: '{"a":"long', reply: '' });
  });
});
