import fc from 'fast-check';
import { parseInline, parseMarkdown, type Block, type Inline } from './markdown.js';

const text = (value: string): Inline => ({ kind: 'text', text: value });

/** All characters that would be on the screen. */
const shownIn = (inline: readonly Inline[]): string =>
  inline.map((one) => ('text' in one ? one.text : shownIn(one.inline))).join('');

describe('markdown', () => {
  it('has headings, lists, code, quotes and tables', () => {
    const blocks = parseMarkdown(
      '# Title\n\nSome *text*\non two lines\n\n- one\n  - deep\n- two\n\n1. first\n\n```py\na < b\n```\n> said\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---',
    );

    expect(blocks.map(({ kind }) => kind)).toEqual([
      'heading',
      'paragraph',
      'list',
      'list',
      'code',
      'quote',
      'table',
      'rule',
    ]);
    const list = blocks[2] as Extract<Block, { kind: 'list' }>;
    expect(list.items[0]!.map(({ kind }) => kind)).toEqual(['paragraph', 'list']);
    expect(blocks[4]).toEqual({ kind: 'code', text: 'a < b' });
    expect((blocks[6] as Extract<Block, { kind: 'table' }>).rows).toHaveLength(2);
  });

  it('marks words inside a line', () => {
    expect(parseInline('a **b** `c*d*` snake_case_word')).toEqual([
      text('a '),
      { kind: 'strong', inline: [text('b')] },
      text(' '),
      { kind: 'code', text: 'c*d*' },
      text(' snake_case_word'),
    ]);
  });

  it('links to addresses of the web and to nothing else, and loads no image', () => {
    expect(parseInline('see https://a.example/x.')).toEqual([
      text('see '),
      { kind: 'link', href: 'https://a.example/x', inline: [text('https://a.example/x')] },
      text('.'),
    ]);
    expect(parseInline('[x](javascript:alert(1)) [y](data:text/html,z) ![z](file:///a)')).toEqual([
      text('[x](javascript:alert(1)) [y](data:text/html,z) ![z](file:///a)'),
    ]);
    expect(parseInline('![logo](https://a.example/l.png)')).toEqual([
      { kind: 'link', href: 'https://a.example/l.png', inline: [text('logo')] },
    ]);
  });

  it('keeps HTML as text', () => {
    const html = '<img src=x onerror=alert(1)><script>alert(1)</script>';
    expect(parseMarkdown(html)).toEqual([{ kind: 'paragraph', inline: [text(html)] }]);
  });

  it('loses no word of any text, and ends', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('*', '_', '`', '[', '](', ')', 'a', ' b ', '\n', '\\')),
        (parts) => {
          const words = (value: string) => value.replace(/[^ab]/g, '');
          const whole = parts.join('');
          expect(words(shownIn(parseInline(whole)))).toBe(words(whole));
        },
      ),
    );
    const started = performance.now();
    parseMarkdown('**a '.repeat(5000) + '[('.repeat(5000) + '`'.repeat(2000));
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
