import { Injectable } from '@nestjs/common';
import type { TraceTreeRequest } from '@app/contracts';
import { mapInSlices, Slices } from '@app/http';
import { decimalOf, totalOf } from '@app/pricing';
import { micros, printTimestamp } from '@app/wire';
import { PricesReader } from '../costs/prices.reader.js';
import { RetentionReader } from '../projects/retention.reader.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { InclusiveUsage } from '../usage/call-usage.js';
import {
  callsOfTrace,
  feedbackOfTrace,
  traceCallOf,
  traceRow,
  type TraceRow,
} from './trace-tree.sql.js';
import { depthFirst, Dictionary, type TraceCall, type TreeNode } from './trace-tree.js';

/** A call has about 300 bytes in memory until its trace is sent. */
const CALLS_MAX = 100_000;
const CALLS_PER_BLOCK = 2000;
/** The usage of this many calls is added up within a millisecond. */
const CALLS_PER_SLICE = 200;
const STATUSES = ['running', 'success', 'error', 'descendant_error'];

/** Reads all calls of a trace, by columns: a tenth of the size of the calls themselves. */
@Injectable()
export class TraceTreeReader {
  constructor(
    private readonly executor: QueryExecutor,
    private readonly prices: PricesReader,
    private readonly retention: RetentionReader,
  ) {}

  /** A line with the dictionaries, then lines with the columns of some calls each. */
  async *lines(
    { project_id, trace_id }: TraceTreeRequest,
    context: ReadContext,
  ): AsyncGenerator<string, void> {
    const since = await this.retention.cutoff(project_id);
    const [rows, feedback] = await Promise.all([
      this.executor.rows<TraceRow>(
        callsOfTrace(project_id, trace_id, since, CALLS_MAX + 1),
        context,
        undefined,
        traceRow,
      ),
      this.executor.rows<{ call_id: string; records: number | string }>(
        feedbackOfTrace(project_id, trace_id, since),
        context,
      ),
    ]);
    const calls = await mapInSlices(rows.slice(0, CALLS_MAX), traceCallOf);
    const models = calls.flatMap(({ usage_model = [] }) => usage_model.map(String));
    const list = await this.prices.listFor(project_id, models, context);
    const slices = new Slices();
    const nodes = await depthFirst(calls, slices);
    const usage = new InclusiveUsage(list);
    for (const [i, call] of calls.entries()) {
      if (i % CALLS_PER_SLICE === 0) await slices.next();
      usage.add(call);
    }
    // Children come after their parents; from the end, the usage of every child is known before that of its parent.
    for (let i = nodes.length - 1; i >= 0; i--) {
      if (i % CALLS_PER_SLICE === 0) await slices.next();
      usage.of(nodes[i]!.call);
    }
    const records = new Map(feedback.map(({ call_id, records: n }) => [call_id, Number(n)]));
    const tree = new PrintedTree(nodes, usage, records);
    yield tree.head(trace_id, rows.length > CALLS_MAX);
    for (let from = 0; from < calls.length; from += CALLS_PER_BLOCK) {
      await slices.next();
      yield tree.block(from, from + CALLS_PER_BLOCK);
    }
  }
}

class PrintedTree {
  private readonly ops = new Dictionary();
  private readonly names = new Dictionary();
  private readonly started: number;

  constructor(
    private readonly nodes: readonly TreeNode[],
    private readonly usage: InclusiveUsage,
    private readonly feedback: ReadonlyMap<string, number>,
  ) {
    this.started = nodes.reduce((min, { call }) => Math.min(min, Number(call.started)), Infinity);
    for (const { call } of nodes) {
      this.ops.numberOf(call.op_name);
      if (call.display_name !== '') this.names.numberOf(call.display_name);
    }
  }

  head(trace_id: string, has_more: boolean): string {
    const head = {
      trace_id,
      count: this.nodes.length,
      has_more,
      started_at: this.nodes.length === 0 ? null : printTimestamp(micros(this.started)),
      ops: this.ops.texts,
      names: this.names.texts,
      statuses: STATUSES,
    };
    return `${JSON.stringify(head)}\n`;
  }

  block(from: number, to: number): string {
    const nodes = this.nodes.slice(from, to);
    const column = <T>(of: (call: TraceCall) => T) => nodes.map(({ call }) => of(call));
    const columns = JSON.stringify({
      id: column(({ id }) => id),
      parent: nodes.map(({ parent }) => parent),
      op: column(({ op_name }) => this.ops.numberOf(op_name)),
      name: column(({ display_name }) =>
        display_name === '' ? -1 : this.names.numberOf(display_name),
      ),
      status: column(({ status }) => STATUSES.indexOf(status)),
      start: column(({ started }) => Number(started) - this.started),
      duration: column(({ started, ended }) =>
        Number(ended) === 0 ? -1 : Number(ended) - Number(started),
      ),
      tokens: column((call) => this.tokensOf(call)),
      feedback: column(({ id }) => this.feedback.get(id) ?? 0),
    });
    // As text, so that decimals keep all digits.
    const costs = column((call) => this.costOf(call)).join(',');
    return `${columns.slice(0, -1)},"cost":[${costs}]}\n`;
  }

  private tokensOf(call: TraceCall): number {
    return [...this.usage.of(call).values()].reduce((sum, { usage }) => sum + usage.total, 0);
  }

  private costOf(call: TraceCall): string {
    const costs = [...this.usage.of(call).values()].flatMap(({ cost }) => (cost ? [cost] : []));
    if (costs.length === 0) return 'null';
    return decimalOf(costs.reduce((sum, cost) => sum + totalOf(cost), 0n));
  }
}
