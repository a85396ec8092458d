import type { TestServer } from '../support/test-server.js';
import { write } from './traces.js';

const toolCall = { id: 'a', type: 'function', function: { name: 'weather', arguments: '{}' } };
const OPENAI = {
  inputs: {
    model: 'gpt-4o',
    messages: [
      { role: 'system', content: 'You are kind.' },
      { role: 'user', content: 'What is it like?' },
      { role: 'assistant', content: null, tool_calls: [toolCall] },
      { role: 'tool', tool_call_id: 'a', content: 'sunny in Paris' },
    ],
  },
  output: { choices: [{ message: { role: 'assistant', content: 'Take a hat.' } }] },
};
const ANTHROPIC = {
  inputs: {
    system: 'Be brief.',
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'lookup', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'one entry' }] },
        ],
      },
    ],
  },
  output: { role: 'assistant', content: [{ type: 'text', text: 'Done with it.' }] },
};
const GEMINI = {
  inputs: {
    contents: [
      { role: 'user', parts: [{ text: 'Warm?' }] },
      { role: 'model', parts: [{ functionCall: { name: 'weather', args: { city: 'Rome' } } }] },
      {
        role: 'user',
        parts: [{ functionResponse: { name: 'weather', response: { temp: 21 } } }],
      },
    ],
  },
  output: { candidates: [{ content: { role: 'model', parts: [{ text: 'It is warm.' }] } }] },
};
const GENAI = {
  attributes: {
    gen_ai: {
      input: {
        messages: JSON.stringify([
          { role: 'user', parts: [{ type: 'text', content: 'Rain?' }] },
          {
            role: 'assistant',
            parts: [{ type: 'tool_call', id: 'x', name: 'forecast', arguments: {} }],
          },
          {
            role: 'tool',
            parts: [{ type: 'tool_call_response', id: 'x', response: 'rain in Oslo' }],
          },
        ]),
      },
      output: {
        messages: JSON.stringify([
          { role: 'assistant', parts: [{ type: 'text', content: 'Take an umbrella.' }] },
        ]),
      },
    },
  },
};

/** A conversation with a tool in the form of each provider, and by the conventions of OpenTelemetry. */
export async function seedChats(server: TestServer, project: string): Promise<void> {
  const startMs = Date.now() - 90_000;
  const forms = { openai: OPENAI, anthropic: ANTHROPIC, gemini: GEMINI, genai: GENAI };
  const calls = Object.entries(forms).map(([name, payloads]) => {
    const id = `chat-${name}`;
    return { id, op: id, trace: id, startMs, ms: 400, ...payloads };
  });
  await write(server, project, calls);
}
