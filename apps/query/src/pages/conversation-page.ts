import { callsList, type CallLine } from './calls-list.js';
import { html } from './html.js';
import { layout } from './layout.js';

export function conversationPage(
  projectId: string,
  thread: string,
  calls: readonly CallLine[],
): string {
  const none = html`<p class="quiet">No call belongs to this conversation.</p>`;
  return layout(`Conversation ${thread}`, projectId, calls.length > 0 ? callsList(calls) : none);
}
