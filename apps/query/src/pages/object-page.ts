import { displayTime } from './calls-list.js';
import { html } from './html.js';
import { layout } from './layout.js';
import { payload } from './payload.js';
import type { ObjectLine } from './project-page.js';

export function objectPage(projectId: string, object: ObjectLine, val: string): string {
  const ref = `weave:///${projectId}/${object.kind}/${object.object_id}:${object.digest}`;
  return layout(
    `${object.object_id} v${object.version_index}`,
    projectId,
    html`<table>
        <tr>
          <th scope="row">Kind</th>
          <td>${object.base_object_class ?? object.kind}</td>
        </tr>
        <tr>
          <th scope="row">Published</th>
          <td>${displayTime(object.created_at)}</td>
        </tr>
        <tr>
          <th scope="row">Ref</th>
          <td>${ref}</td>
        </tr>
      </table>
      ${payload('Value', val)}`,
  );
}
