const INDENT = '  ';

/** JSON text with line breaks and indentation; every value stays the text it is. */
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
