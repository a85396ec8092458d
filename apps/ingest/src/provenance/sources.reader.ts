import { Injectable } from '@nestjs/common';
import { bind, sourceLinks, sql, Store, type SourceLinkRow } from '@app/clickhouse';
import type { DatasetSource } from '@app/contracts';
import { ProblemError } from '@app/http';

/** A call or a span that rows are made from. */
export interface StoredSource {
  readonly id: string;
  readonly trace_id: string;
  readonly name: string;
  readonly started: number | string;
}

/** Reads what a link needs to know. */
@Injectable()
export class SourcesReader {
  constructor(private readonly store: Store) {}

  /** The links with these ids, removed ones included. */
  async links(projectId: string, ids: readonly string[]): Promise<Map<string, SourceLinkRow>> {
    if (ids.length === 0) return new Map();
    const condition = sql`id IN ${bind('Array(String)', ids)}`;
    const rows = await this.store.rows<SourceLinkRow>(sourceLinks(projectId, condition));
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Each source as it is stored; undefined for conversations, which are not. Rejects with a ProblemError unless all exist. */
  async read(
    projectId: string,
    sources: readonly DatasetSource[],
  ): Promise<(StoredSource | undefined)[]> {
    const stored = sources.filter(({ source_kind }) => source_kind !== 'conversation');
    // A span is among the agents' spans, or among the calls that other spans become.
    const [calls, spans] = await Promise.all([
      this.calls(projectId, [...new Set(stored.map(({ source_id }) => source_id))]),
      this.spans(
        projectId,
        stored.filter(({ source_kind }) => source_kind === 'span'),
      ),
    ]);
    return sources.map(({ source_kind, source_id, source_trace_id }) => {
      if (source_kind === 'conversation') return undefined;
      const found =
        source_kind === 'call'
          ? calls.find(({ id }) => id === source_id)
          : [...spans, ...calls].find(
              ({ id, trace_id }) => id === source_id && trace_id === source_trace_id,
            );
      if (found) return found;
      const reason = `There is no ${source_kind} ${source_id.slice(0, 80)} in ${projectId}.`;
      throw new ProblemError('source_not_found', reason);
    });
  }

  private calls(projectId: string, ids: readonly string[]): Promise<StoredSource[]> {
    if (ids.length === 0) return Promise.resolve([]);
    return this.store
      .rows<StoredSource>(sql`SELECT id, trace_id, if(display_name = '', op_name, display_name) AS name,
  toUnixTimestamp64Micro(started_at) AS started
FROM calls FINAL WHERE project_id = ${bind('String', projectId)} AND id IN ${bind('Array(String)', ids)}`);
  }

  private spans(projectId: string, sources: readonly DatasetSource[]): Promise<StoredSource[]> {
    if (sources.length === 0) return Promise.resolve([]);
    const texts = (values: readonly string[]) => bind('Array(String)', [...new Set(values)]);
    return this.store.rows<StoredSource>(sql`SELECT span_id AS id, trace_id, span_name AS name,
  toUnixTimestamp64Micro(started_at) AS started
FROM agent_spans FINAL WHERE project_id = ${bind('String', projectId)}
  AND trace_id IN ${texts(sources.map(({ source_trace_id }) => source_trace_id))}
  AND span_id IN ${texts(sources.map(({ source_id }) => source_id))}`);
  }
}
