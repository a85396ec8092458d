import { html, type Html } from './html.js';
import { prettyJson } from './pretty-json.js';

const SHOWN_MAX = 200_000;

/** A part of a record as its own text; left out when there is nothing in it. */
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
