import { Injectable } from '@nestjs/common';
import { may } from '@app/auth';
import { ProblemError } from '@app/http';
import {
  columnOf,
  RequestedFields,
  ExpandedFields,
  type Followed,
  type FollowedWay,
  type PrefilterFields,
} from '../expansion/expanded-fields.js';
import { expandPaths, pathsBehind, type Way } from '../expansion/expand-columns.js';
import { textAt, type Path } from '../expansion/json-place.js';
import { RefExpander } from '../expansion/ref-expander.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { RefResolver } from '../refs/ref-resolver.js';
import { callsQuery, type CallsQuery, type CallsRequest } from './calls-query.js';
import { refsOfCalls } from './calls.sql.js';

/** A condition on what refs lead to carries them along; more than this do not fit. */
const REFS_MAX = 10_000;
const FOLLOWED_MAX_BYTES = 8 * 1024 * 1024;

type Expandable = CallsRequest & { readonly expand_columns?: readonly string[] | null };

/** Refs inside calls: replaced by what they point to, or followed by a condition. */
@Injectable()
export class CallExpansion {
  /** The blocks of one answer share what was read for them. */
  private readonly expanders = new WeakMap<ReadContext, RefExpander>();

  constructor(
    private readonly refs: RefResolver,
    private readonly executor: QueryExecutor,
  ) {}

  /** The records, in order, with the refs at these columns resolved, shallow ones first. */
  async expanded(
    records: readonly string[],
    columns: readonly string[],
    context: ReadContext,
  ): Promise<readonly string[]> {
    const texts = records.map((record) => Buffer.from(record));
    const expanded = await this.expander(context).expand(texts, expandPaths(columns));
    return expanded.map((text) => text.toString('utf8'));
  }

  /** The question, in which a field behind one of `expand_columns` is reached through the ref that stands there. */
  async compileQuery(
    request: Expandable,
    fields: PrefilterFields,
    context: ReadContext,
  ): Promise<CallsQuery> {
    const columns = expandPaths(request.expand_columns);
    if (columns.length === 0) return callsQuery(request, fields);
    const asked = new RequestedFields(fields, columns);
    const loose = callsQuery(request, asked);
    if (asked.asked.size === 0) return loose;
    const known = new Map<string, FollowedWay[]>();
    for (const [field, ways] of asked.asked) {
      known.set(field, await this.follow(ways, columns, loose, fields, context));
    }
    return callsQuery(request, new ExpandedFields(fields, known));
  }

  private async follow(
    ways: readonly Way[],
    columns: readonly Path[],
    loose: CallsQuery,
    fields: PrefilterFields,
    context: ReadContext,
  ): Promise<FollowedWay[]> {
    const followed: FollowedWay[] = [];
    for (const way of ways) {
      const refs = await this.refsAt(way.base, loose, fields, context);
      if (refs.length === 0) continue;
      const texts = refs.map((ref) => Buffer.from(JSON.stringify(ref)));
      const paths = pathsBehind(way.base, columns);
      const expanded = await this.expander(context).expand(texts, paths);
      followed.push({ ...way, followed: behind(refs, expanded, way) });
    }
    return followed;
  }

  /** The different refs at a column of the calls that may match. */
  private async refsAt(
    column: Path,
    loose: CallsQuery,
    fields: PrefilterFields,
    context: ReadContext,
  ): Promise<string[]> {
    const value = fields.field(columnOf(column), ['expand_columns']);
    if (value.kind !== 'json') return [];
    const query = refsOfCalls(loose, value.text(), REFS_MAX + 1);
    const rows = await this.executor.rows<{ ref: string }>(query, context);
    if (rows.length > REFS_MAX) throw tooMany(column, `more than ${REFS_MAX} different refs`);
    return rows.map(({ ref }) => ref);
  }

  private expander(context: ReadContext): RefExpander {
    const known = this.expanders.get(context);
    if (known) return known;
    const expander = new RefExpander(
      (refs) => this.refs.resolveKnown(refs, context),
      (projectId) => may(context.principal, 'read', projectId),
    );
    this.expanders.set(context, expander);
    return expander;
  }
}

function behind(refs: readonly string[], expanded: readonly Buffer[], way: Way): Followed {
  const texts = expanded.map((text) => textAt(text, way.rest) ?? '');
  const bytes = texts.reduce((sum, text) => sum + text.length, 0);
  if (bytes > FOLLOWED_MAX_BYTES) throw tooMany(way.base, `more than ${FOLLOWED_MAX_BYTES} bytes`);
  return { refs, texts };
}

function tooMany(column: Path, what: string): ProblemError {
  const reason = `expand_columns: ${columnOf(column).slice(0, 100)} leads to ${what}; narrow the query by filter or time.`;
  return new ProblemError('query_too_large', reason);
}
