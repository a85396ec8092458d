/** Text that is HTML: the result of `html`, or a constant. Nothing else reaches a page unescaped. */
export class Html {
  constructor(private readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

type Part = Html | string | number | undefined | readonly Part[];

/** A template tag that escapes every value, also inside the quotes of an attribute. */
export function html(words: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(words.reduce((text, word, i) => text + shown(values[i - 1]) + word));
}

function shown(value: Part): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.toString();
  if (Array.isArray(value)) return (value as readonly Part[]).map(shown).join('');
  return escaped(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string) => text.replace(/[&<>"']/g, (mark) => ENTITIES[mark]!);
