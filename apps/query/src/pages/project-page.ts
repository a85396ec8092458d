import { callsList, displayTime, type CallLine } from './calls-list.js';
import { html, type Html } from './html.js';
import { layout, objectUrl, projectUrl } from './layout.js';

export interface ObjectLine {
  readonly object_id: string;
  readonly digest: string;
  readonly kind: string;
  readonly version_index: number;
  readonly base_object_class: string | null;
  readonly created_at: string;
}

export interface ProjectView {
  readonly projectId: string;
  /** The number of all calls of the project. */
  readonly count: number;
  /** Roots, newest first. */
  readonly calls: readonly CallLine[];
  readonly objects: readonly ObjectLine[];
  /** The offset of the next page of calls, if there is one. */
  readonly next: number | undefined;
}

export function projectPage({ projectId, count, calls, objects, next }: ProjectView): string {
  const older =
    next === undefined
      ? undefined
      : html`<p><a href="${projectUrl(projectId)}?offset=${next}" rel="next">Older</a></p>`;
  const none = html`<p class="quiet">
    No calls yet. They appear here once an SDK or an OpenTelemetry exporter sends some.
  </p>`;
  return layout(
    projectId,
    projectId,
    html`<p class="quiet">${count} ${count === 1 ? 'call' : 'calls'}</p>
      <h2>Traces</h2>
      ${calls.length > 0 ? callsList(calls) : none}${older}
      ${objects.length > 0 ? objectsList(projectId, objects) : undefined}`,
  );
}

function objectsList(projectId: string, objects: readonly ObjectLine[]): Html {
  const lines = objects.map(
    (o) =>
      html`<tr>
        <td><a href="${objectUrl(projectId, o.kind, o.object_id, o.digest)}">${o.object_id}</a></td>
        <td>${o.base_object_class ?? o.kind}</td>
        <td>v${o.version_index}</td>
        <td>${displayTime(o.created_at)}</td>
      </tr> `,
  );
  return html`<h2>Objects and ops</h2>
    <table>
      <tr>
        <th>Name</th>
        <th>Kind</th>
        <th>Latest</th>
        <th>Published</th>
      </tr>
      ${lines}
    </table>`;
}
