import { asCurl, asPython, asTypeScript } from './copy-as.js';

const request = {
  project_id: 'me/first',
  filter: { trace_roots_only: true },
  query: { $expr: { $eq: [{ $getField: 'op_name' }, { $literal: "it's" }] } },
  limit: 100,
};

describe('a list as a program', () => {
  it('quotes the body for the shell', () => {
    expect(asCurl('http://h:1', request)).toContain(`{"$literal":"it'\\''s"}`);
  });

  it('is Python with its own constants', () => {
    const program = asPython({ ...request, query: { a: [null, false] } });

    expect(program).toContain('weave.init("me/first")');
    expect(program).toContain('filter={"trace_roots_only": True},');
    expect(program).toContain('query={"a": [None, False]},');
  });

  it('reads the key from the environment', () => {
    const programs = [asCurl('http://h:1', request), asTypeScript('http://h:1', request)];

    for (const program of programs) expect(program).toContain('WANDB_API_KEY');
  });
});
