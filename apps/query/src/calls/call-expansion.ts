import { Inject, Injectable } from '@nestjs/common';
import { may } from '@app/auth';
import type { QueryConfig } from '@app/config';
import { ProblemError, Slices } from '@app/http';
import { expandPaths, relativeColumns, type RefPath } from '../expansion/expand-columns.js';
import {
  columnOf,
  ExpandedFields,
  RequestedFields,
  type PrefilterFields,
  type RefTargets,
  type ResolvedRefPath,
} from '../expansion/expanded-fields.js';
import { textAt, type Path } from '../expansion/json-path.js';
import { RefExpander, type Pieces } from '../expansion/ref-expander.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { RefResolver } from '../refs/ref-resolver.js';
import { QUERY_CONFIG } from '../tokens.js';
import { callsQuery, type CallsQuery, type CallsRequest } from './calls-query.js';
import { refsOfCalls } from './calls.sql.js';

/** A condition behind refs sends all of them and their targets as parameters, so both are bounded. */
const REFS_MAX = 10_000;
const TARGETS_MAX_BYTES = 8 * 1024 * 1024;

type Expandable = CallsRequest & { readonly expand_columns?: readonly string[] | null };

/** Resolves the refs inside calls, for their records and for conditions. */
@Injectable()
export class CallExpansion {
  /** All blocks of one response share an expander, and so read each ref once. */
  private readonly expanders = new WeakMap<ReadContext, RefExpander>();

  constructor(
    private readonly refs: RefResolver,
    private readonly executor: QueryExecutor,
    @Inject(QUERY_CONFIG) private readonly config: Pick<QueryConfig, 'maxExpandedBytes'>,
  ) {}

  /** The records, in order, with the refs at these columns resolved, shallow columns first. */
  async expanded(
    records: readonly string[],
    columns: readonly string[],
    context: ReadContext,
  ): Promise<readonly Pieces[]> {
    const texts = records.map((record) => Buffer.from(record));
    return this.expander(context).expand(texts, expandPaths(columns));
  }

  /** The query of a request; a field behind one of `expand_columns` is read through the refs of that column. */
  async compileQuery(
    request: Expandable,
    fields: PrefilterFields,
    context: ReadContext,
  ): Promise<CallsQuery> {
    const columns = expandPaths(request.expand_columns);
    if (columns.length === 0) return callsQuery(request, fields);
    const requested = new RequestedFields(fields, columns);
    const candidates = callsQuery(request, requested);
    if (requested.refPaths.size === 0) return candidates;
    const resolved = new Map<string, ResolvedRefPath[]>();
    for (const [field, refPaths] of requested.refPaths) {
      resolved.set(field, await this.resolve(refPaths, columns, candidates, fields, context));
    }
    return callsQuery(request, new ExpandedFields(fields, resolved));
  }

  private async resolve(
    refPaths: readonly RefPath[],
    columns: readonly Path[],
    candidates: CallsQuery,
    fields: PrefilterFields,
    context: ReadContext,
  ): Promise<ResolvedRefPath[]> {
    const resolved: ResolvedRefPath[] = [];
    for (const refPath of refPaths) {
      const refs = await this.refsIn(refPath.column, candidates, fields, context);
      if (refs.length === 0) continue;
      const texts = refs.map((ref) => Buffer.from(JSON.stringify(ref)));
      const paths = relativeColumns(refPath.column, columns);
      const expanded = await this.expander(context).expand(texts, paths);
      resolved.push({ ...refPath, targets: await targetsOf(refs, expanded, refPath) });
    }
    return resolved;
  }

  /** The distinct refs in a column of the calls that may match. */
  private async refsIn(
    column: Path,
    candidates: CallsQuery,
    fields: PrefilterFields,
    context: ReadContext,
  ): Promise<string[]> {
    const value = fields.field(columnOf(column), ['expand_columns']);
    if (value.kind !== 'json') return [];
    const query = refsOfCalls(candidates, value.text(), REFS_MAX + 1);
    const rows = await this.executor.rows<{ ref: string }>(query, context);
    if (rows.length > REFS_MAX) throw tooLarge(column, `more than ${REFS_MAX} different refs`);
    return rows.map(({ ref }) => ref);
  }

  private expander(context: ReadContext): RefExpander {
    const known = this.expanders.get(context);
    if (known) return known;
    const expander = new RefExpander(
      (refs) => this.refs.resolveKnown(refs, context),
      (projectId) => may(context.principal, 'read', projectId),
      this.config.maxExpandedBytes,
    );
    this.expanders.set(context, expander);
    return expander;
  }
}

async function targetsOf(
  refs: readonly string[],
  expanded: readonly Pieces[],
  { column, path }: RefPath,
): Promise<RefTargets> {
  const slices = new Slices();
  const texts: string[] = [];
  let bytes = 0;
  for (const pieces of expanded) {
    await slices.next();
    const text = textAt(Buffer.concat([...pieces]), path) ?? '';
    bytes += text.length;
    if (bytes > TARGETS_MAX_BYTES) throw tooLarge(column, `more than ${TARGETS_MAX_BYTES} bytes`);
    texts.push(text);
  }
  return { refs, texts };
}

function tooLarge(column: Path, found: string): ProblemError {
  const reason = `expand_columns: ${columnOf(column).slice(0, 100)} leads to ${found}; narrow the query by filter or time.`;
  return new ProblemError('query_too_large', reason);
}
