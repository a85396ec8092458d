/** Clients reach the same operations at `/` and under `/traces/`, and some join paths with a slash too many. */
export function rewriteUrl(url: string): string {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const query = mark === -1 ? '' : url.slice(mark);
  const single = path.replace(/\/{2,}/g, '/');
  const plain = single.replace(/^\/traces(?=\/|$)/, '');
  const trimmed = plain.length > 1 ? plain.replace(/\/$/, '') : plain;
  return (trimmed || '/') + query;
}
