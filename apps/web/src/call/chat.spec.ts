import { chatOf } from './chat.js';

describe('the messages of a call', () => {
  it('come from OpenAI, with tool calls and their results', () => {
    const inputs = {
      model: 'gpt-4o',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', function: { name: 'weather', arguments: '{"city":"Ulm"}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
      ],
    };
    const output = { choices: [{ message: { role: 'assistant', content: 'Sunny.' } }] };

    expect(chatOf(inputs, output, {})).toEqual([
      { role: 'system', parts: [{ kind: 'text', text: 'Be brief.' }] },
      { role: 'user', parts: [{ kind: 'text', text: 'Weather?' }] },
      {
        role: 'assistant',
        parts: [{ kind: 'call', id: 'c1', name: 'weather', args: '{\n  "city": "Ulm"\n}' }],
      },
      { role: 'tool', parts: [{ kind: 'result', id: 'c1', text: 'sunny' }] },
      { role: 'assistant', parts: [{ kind: 'text', text: 'Sunny.' }] },
    ]);
  });

  it('come from Anthropic, with its system text, thinking and images', () => {
    const inputs = {
      system: 'Be brief.',
      messages: [
        {
          role: 'user',
          content: [{ type: 'image', source: { media_type: 'image/png', data: 'AAAA' } }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }] },
      ],
    };
    const output = {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } },
      ],
    };

    expect(chatOf(inputs, output, {}).map(({ role, parts }) => [role, parts[0]?.kind])).toEqual([
      ['system', 'text'],
      ['user', 'media'],
      ['user', 'result'],
      ['assistant', 'thinking'],
    ]);
  });

  it('come from Gemini', () => {
    const inputs = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };
    const output = { candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] } }] };

    expect(chatOf(inputs, output, {})).toEqual([
      { role: 'user', parts: [{ kind: 'text', text: 'Hi' }] },
      { role: 'model', parts: [{ kind: 'text', text: 'Hello' }] },
    ]);
  });

  it('pair the calls of a tool with their results, also where they have no ids', () => {
    const call = (city: string) => ({ functionCall: { name: 'weather', args: { city } } });
    const result = (temp: number) => ({
      functionResponse: { name: 'weather', response: { temp } },
    });
    const contents = [
      { role: 'user', parts: [{ text: 'Weather?' }] },
      { role: 'model', parts: [call('Rome'), call('Oslo')] },
      { role: 'user', parts: [result(21), result(3)] },
    ];

    const [, calls, results] = chatOf({ contents }, null, {});

    const ids = calls!.parts.map((one) => 'id' in one && one.id);
    expect(new Set(ids).size).toBe(2);
    expect(results!.parts.map((one) => 'id' in one && one.id)).toEqual(ids);
  });

  it("come from OpenTelemetry's attributes, nested or with dots, as JSON or as text", () => {
    const messages = [{ role: 'user', parts: [{ type: 'text', content: 'Hi' }] }];
    const expected = [{ role: 'user', parts: [{ kind: 'text', text: 'Hi' }] }];

    expect(chatOf({}, null, { gen_ai: { input: { messages } } })).toEqual(expected);
    expect(chatOf({}, null, { 'gen_ai.input.messages': JSON.stringify(messages) })).toEqual(
      expected,
    );
  });

  it('have sounds and images, sent within the payload or stored beside it', () => {
    const stored = { _type: 'CustomWeaveType', files: { content: 'd1', 'metadata.json': 'd2' } };
    const content = [
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
      { inlineData: { mimeType: 'audio/wav', data: 'BBBB' } },
      { type: 'image_url', image_url: { url: stored } },
      { type: 'image', source: { media_type: 'image/svg+xml', data: 'CCCC' } },
    ];
    const output = { choices: [{ message: { audio: { data: 'DDDD', transcript: 'Hello.' } } }] };

    const chat = chatOf({ messages: [{ role: 'user', content }] }, output, {});

    expect(chat.map(({ parts }) => parts)).toEqual([
      [
        { kind: 'media', type: 'audio/mpeg', url: 'data:audio/mpeg;base64,AAAA' },
        { kind: 'media', type: 'audio/wav', url: 'data:audio/wav;base64,BBBB' },
        { kind: 'files', files: stored.files },
        { kind: 'other', text: 'data:image/svg+xml;base64,CCCC… is not shown.' },
      ],
      [
        { kind: 'media', type: 'audio/wav', url: 'data:audio/wav;base64,DDDD' },
        { kind: 'text', text: 'Hello.' },
      ],
    ]);
  });

  it('are none for a call of an ordinary function', () => {
    expect(chatOf({ name: 'Ada', input: [1, 2] }, 'Hello', {})).toEqual([]);
  });

  it('never load an image from elsewhere', () => {
    const image = { type: 'image_url', image_url: { url: 'https://elsewhere.example/pixel.png' } };

    expect(chatOf({ messages: [{ role: 'user', content: [image] }] }, null, {})[0]?.parts).toEqual([
      { kind: 'other', text: 'https://elsewhere.example/pixel.png' },
    ]);
  });
});
