import { highlighted, type Language } from './highlight.js';

const kinds = (code: string, language: Language) =>
  highlighted(code, language)
    .filter(({ kind }) => kind !== 'plain')
    .map(({ kind, text }) => `${kind} ${text}`);

describe('highlighted code', () => {
  it('has the words, texts, numbers and comments of Python', () => {
    const code = 'def reply(x):  # short\n    return f"a {x}" + str(12.5)\n';
    expect(kinds(code, 'python')).toEqual([
      ...['keyword def', 'name reply', 'comment # short'],
      ...['keyword return', 'text f"a {x}"', 'number 12.5'],
    ]);
    expect(kinds('"""a\n"quoted"\n"""', 'python')).toEqual(['text """a\n"quoted"\n"""']);
  });

  it('has those of TypeScript', () => {
    const code = 'export const f = async () => `a\n${b}`; // end\n/* open';
    expect(kinds(code, 'script')).toEqual([
      ...['keyword export', 'keyword const', 'keyword async', 'text `a\n${b}`'],
      ...['comment // end', 'comment /* open'],
    ]);
  });

  it('is the same text, whatever it is, and in time', () => {
    const codes = ['', '"', "'''", 'x = "unfinished\ny', '\\', '`', '/*', '"'.repeat(50_001)];
    for (const code of codes) {
      for (const language of ['python', 'script'] as const) {
        const texts = highlighted(code, language).map(({ text }) => text);
        expect(texts.join('')).toBe(code);
      }
    }
  });
});
