import { html, type Html } from './html.js';
import { callUrl } from './layout.js';

/** A call as a list shows it. */
export interface CallLine {
  readonly id: string;
  readonly project_id: string;
  readonly started_at: string;
  readonly summary: { readonly weave: CallStatus };
}

export interface CallStatus {
  readonly status: string;
  readonly trace_name: string;
  readonly latency_ms?: number;
}

export function callsList(calls: readonly CallLine[]): Html {
  return html`<table>
    <tr>
      <th>Call</th>
      <th>Status</th>
      <th>Started</th>
      <th>Took</th>
    </tr>
    ${calls.map(callLine)}
  </table>`;
}

function callLine({ id, project_id, started_at, summary: { weave } }: CallLine): Html {
  return html`<tr>
    <td><a href="${callUrl(project_id, id)}">${weave.trace_name}</a></td>
    <td>${status(weave)}</td>
    <td>${displayTime(started_at)}</td>
    <td>${took(weave)}</td>
  </tr> `;
}

export const status = ({ status: word }: CallStatus): Html =>
  html`<span class="${word === 'descendant_error' ? 'error' : word}"
    >${word.replace('_', ' ')}</span
  >`;

export const took = ({ latency_ms }: CallStatus): string =>
  latency_ms === undefined ? '' : `${latency_ms} ms`;

export const displayTime = (at: string): Html =>
  html`<time datetime="${at}">${at.slice(0, 19).replace('T', ' ')} UTC</time>`;
