import { createHash } from 'node:crypto';
import { Html, html } from './html.js';

const STYLE = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 1.75rem 0 .5rem; }
nav, .quiet { opacity: .7; }
a { color: inherit; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; white-space: nowrap; }
td { overflow-wrap: anywhere; }
pre { border: 1px solid var(--line); border-radius: 6px; padding: .75rem; overflow: auto; max-height: 32rem; margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.error { color: #c62828; } .running { color: #8d6e00; } .success { color: #2e7d32; }
@media (prefers-color-scheme: dark) { .error { color: #ef9a9a; } .running { color: #ffd54f; } .success { color: #a5d6a7; } }
`;

/** One constant, because the browser compares the hash of the text between the tags. */
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);

/** No scripts, no images, nothing from other origins: a payload can only be displayed. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${sha256(STYLE)}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

export function layout(title: string, projectId: string, content: Html): string {
  const home =
    title !== projectId && html`<nav><a href="${projectUrl(projectId)}">${projectId}</a></nav>`;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Heddle</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        ${home || undefined}
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html> `;
  return page.toString();
}

const path = (...segments: readonly string[]) => segments.map(encodeURIComponent).join('/');

export const projectUrl = (projectId: string) => `/${path(...projectId.split('/'))}/weave`;
export const callUrl = (projectId: string, id: string) =>
  `/${path(...projectId.split('/'))}/r/call/${path(id)}`;
export const objectUrl = (projectId: string, kind: string, name: string, digest: string) =>
  `${projectUrl(projectId)}/${kind === 'op' ? 'ops' : 'objects'}/${path(name)}/versions/${path(digest)}`;

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
