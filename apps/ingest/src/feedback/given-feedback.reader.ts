import { Injectable } from '@nestjs/common';
import { bind, sql, Store } from '@app/clickhouse';
import type { FeedbackGiven } from '@app/events';

interface GivenRow {
  readonly id: string;
  readonly user_id: string;
  readonly payload: string;
  readonly is_deleted: number;
}

/** Keeps the URL of one query, which carries the ids as parameters, well below the server's limit. */
const IDS_PER_LOOKUP = 500;

@Injectable()
export class GivenFeedbackReader {
  constructor(private readonly store: Store) {}

  /** The id of a fact that would replace other feedback, or bring purged feedback back; undefined when there is none. */
  async replacedBy(facts: readonly FeedbackGiven[]): Promise<string | undefined> {
    for (const projectId of new Set(facts.map((fact) => fact.projectId))) {
      const given = facts.filter((fact) => fact.projectId === projectId);
      for (let at = 0; at < given.length; at += IDS_PER_LOOKUP) {
        const id = await this.replacedIn(projectId, given.slice(at, at + IDS_PER_LOOKUP));
        if (id !== undefined) return id;
      }
    }
    return undefined;
  }

  private async replacedIn(
    projectId: string,
    facts: readonly FeedbackGiven[],
  ): Promise<string | undefined> {
    const sent = new Map(facts.map((fact) => [fact.data.id, fact]));
    const rows = await this.store.rows<GivenRow>(
      sql`SELECT id, argMax(user_id, version) AS user_id, argMax(feedback.payload, version) AS payload, argMax(is_deleted, version) AS is_deleted
FROM feedback WHERE project_id = ${bind('String', projectId)} AND id IN ${bind('Array(String)', [...sent.keys()])}
GROUP BY id`,
    );
    return rows.find((row) => !isResent(row, sent.get(row.id)!))?.id;
  }
}

const isResent = ({ user_id, payload, is_deleted }: GivenRow, { userId, body }: FeedbackGiven) =>
  is_deleted === 0 && user_id === userId && payload === body.toString('utf8');
