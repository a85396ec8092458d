/** An address of more characters than browsers and proxies accept would not open. */
const LIST_MAX = 100;

/** The texts of a list in an address. What a user has typed there may be no valid text, and is left out. */
export function listIn(text: string | undefined): readonly string[] {
  return (text ?? '').split(',').flatMap((item) => {
    try {
      return item === '' ? [] : [decodeURIComponent(item)];
    } catch {
      return [];
    }
  });
}

/** Of too many texts, the last ones are kept. */
export function listText(list: readonly string[]): string {
  return list.slice(-LIST_MAX).map(encodeURIComponent).join(',');
}
