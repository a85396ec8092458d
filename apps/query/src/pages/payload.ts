import { html, type Html } from './html.js';

const SHOWN_MAX = 200_000;

/** A member of a record as formatted JSON; undefined when it is empty. */
export function payload(title: string, text: string | undefined): Html | undefined {
  if (text === undefined || text === '{}' || text === 'null') return undefined;
  const isLong = text.length > SHOWN_MAX;
  const shown = isLong ? text.slice(0, SHOWN_MAX) : prettyJson(text);
  const note =
    isLong && html`<p class="quiet">The first ${SHOWN_MAX} of ${text.length} characters.</p>`;
  return html`<h2>${title}</h2>
    ${note || undefined}
    <pre>${shown}</pre>`;
}

const INDENT = '  ';

/** JSON text with line breaks and indentation. The text of every value stays the same. */
export function prettyJson(text: string): string {
  let depth = 0;
  return text.replace(TOKEN, (token, _text, at: number) => {
    if (token === '{' || token === '[') {
      const isEmpty = CLOSING.test(text.slice(at + 1, at + 64));
      if (isEmpty) return token;
      depth++;
      return token + line(depth);
    }
    if (token === '}' || token === ']') {
      const isEmpty = OPENING.test(text.slice(Math.max(0, at - 64), at));
      if (isEmpty) return token;
      depth--;
      return line(depth) + token;
    }
    if (token === ',') return token + line(depth);
    if (token === ':') return `${token} `;
    return token.trim() === '' ? '' : token;
  });
}

const TOKEN = /("(?:[^"\\]|\\.)*")|[{}[\],:]|\s+/g;
const CLOSING = /^\s*[}\]]/;
const OPENING = /[{[]\s*$/;

const line = (depth: number) => `\n${INDENT.repeat(depth)}`;
