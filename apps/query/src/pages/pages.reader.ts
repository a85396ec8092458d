import { Injectable } from '@nestjs/common';
import type { CallsQueryRequest, ObjectReadRequest } from '@app/contracts';
import { memberSpans } from '@app/wire';
import { CallsReader } from '../calls/calls.reader.js';
import { ObjectsReader } from '../objects/objects.reader.js';
import type { ReadContext } from '../read-context.js';
import { callPage, type CallView } from './call-page.js';
import { callsList, type CallLine } from './calls-list.js';
import { html } from './html.js';
import { layout } from './layout.js';
import { objectPage } from './object-page.js';
import { projectPage, type ObjectLine } from './project-page.js';

const PER_PAGE = 50;
const CHILDREN_MAX = 200;
const LINE_COLUMNS = ['summary', 'display_name'];

/** Reads the data of a page, and renders it. */
@Injectable()
export class PagesReader {
  constructor(
    private readonly calls: CallsReader,
    private readonly objects: ObjectsReader,
  ) {}

  async project(project_id: string, offset: number, context: ReadContext): Promise<string> {
    const roots = await this.lines(
      {
        project_id,
        filter: { trace_roots_only: true },
        sort_by: [{ field: 'started_at', direction: 'desc' }],
        limit: PER_PAGE + 1,
        offset,
      },
      context,
    );
    const { count } = await this.calls.stats({ project_id }, context);
    const objects = await this.objects.query(
      {
        project_id,
        filter: { latest_only: true },
        sort_by: [{ field: 'created_at', direction: 'desc' }],
        limit: PER_PAGE,
        metadata_only: true,
      },
      context,
    );
    return projectPage({
      projectId: project_id,
      count,
      calls: roots.slice(0, PER_PAGE),
      objects: objects.map((text) => JSON.parse(text) as ObjectLine),
      next: roots.length > PER_PAGE ? offset + PER_PAGE : undefined,
    });
  }

  /** Undefined when there is no such call. */
  async call(project_id: string, id: string, context: ReadContext): Promise<string | undefined> {
    const text = await this.calls.read({ project_id, id, include_costs: true }, context);
    if (text === undefined) return undefined;
    const call = JSON.parse(text) as CallView;
    const filter = { parent_ids: [id], trace_ids: [call.trace_id] };
    const children = await this.lines({ project_id, filter, limit: CHILDREN_MAX }, context);
    return callPage(call, membersOf(text), children);
  }

  async conversation(project_id: string, thread: string, context: ReadContext): Promise<string> {
    const filter = { thread_ids: [thread] };
    const calls = await this.lines({ project_id, filter, limit: CHILDREN_MAX }, context);
    return conversationPage(project_id, thread, calls);
  }

  async object(request: ObjectReadRequest, context: ReadContext): Promise<string> {
    const text = await this.objects.read(request, context);
    const object = JSON.parse(text) as ObjectLine;
    return objectPage(request.project_id, object, membersOf(text).get('val') ?? 'null');
  }

  private async lines(request: CallsQueryRequest, context: ReadContext): Promise<CallLine[]> {
    const lines: CallLine[] = [];
    for await (const records of this.calls.query({ ...request, columns: LINE_COLUMNS }, context)) {
      lines.push(...records.map((text) => JSON.parse(text) as CallLine));
    }
    return lines;
  }
}

/** Each member as its own text, because JSON.parse would round long integers. */
function membersOf(text: string): Map<string, string> {
  const bytes = Buffer.from(text);
  return new Map(
    [...memberSpans(bytes)].map(([key, { start, end }]) => [
      key,
      bytes.toString('utf8', start, end),
    ]),
  );
}

function conversationPage(projectId: string, thread: string, calls: readonly CallLine[]): string {
  const none = html`<p class="quiet">No call belongs to this conversation.</p>`;
  return layout(`Conversation ${thread}`, projectId, calls.length > 0 ? callsList(calls) : none);
}
