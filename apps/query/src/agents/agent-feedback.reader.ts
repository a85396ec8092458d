import { Injectable } from '@nestjs/common';
import { feedbackRecord, ON_CALLS, type FeedbackRow } from '../feedback/feedback-record.js';
import { feedbackOfRefs } from '../feedback/feedback.sql.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';

/** What feedback on agents is about: a trace, a conversation or a span. */
type Kind = 'agent_turn' | 'agent_conversation' | 'agent_span';

export interface AgentTarget {
  readonly kind: Kind;
  readonly id: string;
}

/** A list of feedback as JSON text. */
export type FeedbackOf = (kind: Kind, id: string) => string;

const REFS_AT_ONCE = 1000;

const MARKERS = ['wandb.agent_user_feedback', 'wandb.agent_monitor'];

/** Reads the feedback on turns, conversations and spans of agents, the oldest first. */
@Injectable()
export class AgentFeedbackReader {
  constructor(private readonly executor: QueryExecutor) {}

  async of(
    projectId: string,
    targets: readonly AgentTarget[],
    context: ReadContext,
  ): Promise<FeedbackOf> {
    const rowsOf = await this.byRef(projectId, targets, context);
    return (kind, id) => {
      const found = refsOf(projectId, { kind, id }).flatMap((ref) => rowsOf.get(ref) ?? []);
      return `[${found.map((row) => feedbackRecord(row, ON_CALLS, projectId)).join(',')}]`;
    };
  }

  /** Tags and ratings of users and monitors on these turns and conversations. */
  async markers(projectId: string, targets: readonly AgentTarget[], context: ReadContext) {
    const rowsOf = await this.byRef(projectId, targets, context);
    return targets.flatMap((target) =>
      refsOf(projectId, target)
        .flatMap((ref) => rowsOf.get(ref) ?? [])
        .filter(({ feedback_type }) => MARKERS.includes(feedback_type ?? ''))
        .map((row) => ({ target, marker: markerOf(row, target) })),
    );
  }

  /** A long conversation has many spans, so their refs are sent in parts. */
  private async byRef(
    projectId: string,
    targets: readonly AgentTarget[],
    context: ReadContext,
  ): Promise<Map<string, FeedbackRow[]>> {
    const refs = targets.flatMap((target) => refsOf(projectId, target));
    const byRef = new Map<string, FeedbackRow[]>();
    for (let i = 0; i < refs.length; i += REFS_AT_ONCE) {
      const query = feedbackOfRefs(projectId, refs.slice(i, i + REFS_AT_ONCE), ON_CALLS);
      for (const row of await this.executor.rows<FeedbackRow>(query, context)) {
        const ref = row.weave_ref ?? '';
        const rows = byRef.get(ref);
        if (rows) rows.push(row);
        else byRef.set(ref, [row]);
      }
    }
    return byRef;
  }
}

/** An id is percent-encoded, and clients differ in whether they encode `!'()*`. */
function refsOf(projectId: string, { kind, id }: AgentTarget): string[] {
  const some = encodeURIComponent(id.toWellFormed());
  const all = some.replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return [...new Set([some, all])].map((encoded) => `weave:///${projectId}/${kind}/${encoded}`);
}

interface Scorer {
  readonly scorer_tags?: string[];
  readonly scorer_ratings?: Record<string, number>;
  readonly scorer_rating_reasons?: Record<string, string>;
  readonly scorer_rating_confidences?: Record<string, number>;
}

function markerOf({ feedback_type, scorer }: FeedbackRow, { kind, id }: AgentTarget) {
  const values = JSON.parse(scorer || '{}') as Scorer;
  return {
    trace_id: kind === 'agent_turn' ? id : null,
    feedback_type,
    tags: values.scorer_tags ?? [],
    ratings: Object.entries(values.scorer_ratings ?? {}).map(([name, value]) => ({
      name,
      value,
      reason: values.scorer_rating_reasons?.[name] ?? null,
      confidence: values.scorer_rating_confidences?.[name] ?? null,
    })),
  };
}
