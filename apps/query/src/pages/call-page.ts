import { callsList, displayTime, status, took, type CallLine } from './calls-list.js';
import { html, type Html } from './html.js';
import { callUrl, layout } from './layout.js';
import { payload } from './payload.js';

export interface CallView extends CallLine {
  readonly op_name: string;
  readonly trace_id: string;
  readonly parent_id: string | null;
  readonly thread_id: string | null;
  readonly ended_at: string | null;
  readonly exception: string | null;
  readonly wb_user_id: string | null;
}

/** `texts` are the members of the call as JSON text. */
export function callPage(
  call: CallView,
  texts: ReadonlyMap<string, string>,
  children: readonly CallLine[],
): string {
  const { weave } = call.summary;
  const parent = call.parent_id
    ? html`<a href="${callUrl(call.project_id, call.parent_id)}">${call.parent_id}</a>`
    : undefined;
  const rows = [
    row('Status', status(weave)),
    row('Started', displayTime(call.started_at)),
    row('Took', took(weave)),
    row('Op', call.op_name),
    row('Call', call.id),
    row('Trace', call.trace_id),
    row('Parent', parent),
    row('Thread', call.thread_id),
    row('User', call.wb_user_id),
  ];
  return layout(
    weave.trace_name,
    call.project_id,
    html`<table>
        ${rows}
      </table>
      ${
        call.exception === null
          ? undefined
          : html`<h2 class="error">Exception</h2>
              <pre>${call.exception}</pre>`
      }
      ${payload('Inputs', texts.get('inputs'))} ${payload('Output', texts.get('output'))}
      ${
        children.length > 0
          ? html`<h2>Calls it made</h2>
              ${callsList(children)}`
          : undefined
      }
      ${payload('Summary', texts.get('summary'))} ${payload('Attributes', texts.get('attributes'))}`,
  );
}

function row(name: string, value: Html | string | null | undefined): Html | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  return html`<tr>
    <th scope="row">${name}</th>
    <td>${value}</td>
  </tr> `;
}
