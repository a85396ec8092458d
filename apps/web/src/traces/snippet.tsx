import type { Hit } from '../api/types.js';

/** Characters that the server puts before the text that was found. */
const BEFORE = 40;

/** The surroundings of a text that was found, with the text marked. */
export function Snippet({ hit }: { readonly hit: Hit }) {
  const start = Math.min(hit.offset, BEFORE);
  const characters = [...hit.snippet];
  const end = start + hit.length;
  return (
    <>
      {hit.offset > BEFORE && '…'}
      {characters.slice(0, start).join('')}
      <mark>{characters.slice(start, end).join('')}</mark>
      {characters.slice(end).join('')}
    </>
  );
}
