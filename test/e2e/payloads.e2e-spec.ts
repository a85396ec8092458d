import { randomUUID } from 'node:crypto';
import { aProject, theHouse } from '../support/house.js';
import { aStart, anEnd } from '../support/records.js';

const house = theHouse();

const nested = (levels: number) => `${'{"a":'.repeat(levels)}0${'}'.repeat(levels)}`;

/** Objects whose text a careless reader would change. */
const NASTY = {
  'a whole number and a float': '{"int":1,"float":1.0,"exp":1E5,"neg":-0.0}',
  'thirty digits': '{"big":123456789012345678901234567890}',
  'more than a double can hold': '{"huge":1e400}',
  'an escaped lone surrogate': '{"s":"\\ud800"}',
  'escapes that need not be': '{"\\u0061":"\\u00e9\\/"}',
  'the same key twice': '{"k":1,"k":2}',
  'keys that objects already have': '{"__proto__":{"x":1},"constructor":null,"toString":[]}',
  'spaces and line breaks': '{ "a" : [ 1 ,\n 2 ] }',
  'an empty key': '{"":{"":[]}}',
  'keys with dots': '{"a.b":{"c\\\\d":1}}',
  'nearly two hundred levels': nested(190),
  'what looks like a placeholder': '{"q":"{p0:String} \\\\ \'; DROP TABLE calls --"}',
};

/** Prints a record with the text in place of the empty objects of these fields. */
function printed(record: object, fields: readonly string[], text: string): string {
  return fields.reduce(
    (json, field) => json.replace(`"${field}":{}`, () => `"${field}":${text}`),
    JSON.stringify(record),
  );
}

describe('a payload comes back as the text it was sent as', () => {
  it.each(Object.entries(NASTY))('%s', async (_, text) => {
    const project_id = aProject();
    const id = randomUUID();
    const start = printed(aStart({ project_id, id }), ['attributes', 'inputs'], text);
    const end = printed(anEnd({ project_id, id, output: {} }), ['output', 'summary'], text);
    await house.send('/call/start', `{"start":${start}}`);
    await house.send('/call/end', `{"end":${end}}`);

    const { text: answer } = await house.send('/call/read', { project_id, id });

    expect(answer).toContain(`"attributes":${text}`);
    expect(answer).toContain(`"inputs":${text}`);
    expect(answer).toContain(`"output":${text}`);
    // The server's own block stands at the end of the summary, before its last brace.
    expect(answer).toContain(`"summary":${text.replace(/\s*\}$/, '')}`);
  });
});
