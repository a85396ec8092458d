const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g;

/** Breaks JSON text into lines. The values are not parsed, so that numbers keep all their digits. Other text stays as it is. */
export function indentJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  let before = '';
  let result = '';
  for (const [token] of text.matchAll(TOKEN)) {
    const isClosing = token === '}' || token === ']';
    if (isClosing) depth--;
    const isEmpty = isClosing && /[[{]/.test(before);
    if (breaksLine(before, isClosing) && !isEmpty) result += `\n${'  '.repeat(depth)}`;
    result += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth++;
    before = token.length === 1 ? token : '';
  }
  return result;
}

const breaksLine = (before: string, isClosing: boolean): boolean =>
  isClosing || before === ',' || before === '{' || before === '[';
