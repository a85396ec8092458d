import fc from 'fast-check';
import { CallsQueryRequest } from '@app/contracts';
import { ignoredMembers, noteIgnored, sendIgnored } from './ignored-members.js';
import { RequestBodyPipe } from './request-body.pipe.js';

const pipe = new RequestBodyPipe();
const instanceOf = (text: string) =>
  pipe.transform(Buffer.from(text), { type: 'body', metatype: CallsQueryRequest }) as object;
const ignoredIn = (body: object) => {
  const text = JSON.stringify({ project_id: 'a/b', ...body });
  return ignoredMembers(JSON.parse(text) as Record<string, unknown>, instanceOf(text));
};

type Hook = (request: object, reply: object, payload: unknown, done: () => void) => void;

function headerOf(paths: readonly string[]): string | undefined {
  const body = Buffer.from('{}');
  noteIgnored(body, paths);
  let header: string | undefined;
  const reply = { header: (_name: string, value: string) => (header = value) };
  const addHook = (_name: string, hook: Hook) => hook({ body }, reply, '', () => undefined);
  sendIgnored({ addHook } as never);
  return header;
}

describe('the members of a body that are ignored', () => {
  it('are named by their paths, also in parts and lists of parts', () => {
    const body = {
      limt: 1,
      filter: { op_nams: ['x'], op_names: ['y'] },
      sort_by: [{ field: 'id' }, { field: 'id', ordr: 'asc' }],
    };

    expect(ignoredIn(body)).toEqual(['limt', 'filter.op_nams', 'sort_by.1.ordr']);
  });

  it('do not include those of a query, which is checked elsewhere, nor declared ones', () => {
    expect(ignoredIn({ query: { $expr: { unknown: 1 } }, limit: 1, offset: null })).toEqual([]);
  });

  it('are at most ten', () => {
    const body = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`x${i}`, i]));

    expect(ignoredIn(body)).toHaveLength(10);
  });
});

describe('the header that names ignored members', () => {
  it('separates them with commas', () => {
    expect(headerOf(['limt', 'filter.op_nams'])).toBe('limt, filter.op_nams');
  });

  it('is absent when every member was read', () => {
    expect(headerOf([])).toBeUndefined();
  });

  it('is short and visible ASCII, whatever the names', () => {
    const name = fc.string({ unit: 'binary', maxLength: 500 });
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 30 }), (names) => {
        const header = headerOf(names)!;

        expect(header).toMatch(/^[ -~]*$/);
        expect(header.length).toBeLessThanOrEqual(10 * 102);
      }),
    );
  });
});
