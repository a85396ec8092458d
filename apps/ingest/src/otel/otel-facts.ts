import { PROJECT_ID } from '@app/contracts';
import type { NewFact } from '@app/events';
import { InvalidBodyError, ProblemError } from '@app/http';
import { BATCH_MAX, BatchBounds } from '../calls/batch-bounds.js';
import { recordAt } from '../calls/call-bodies.js';
import { completedFact, type IngestContext } from '../calls/call-facts.js';
import { tooMany } from '../list-length.js';
import { callOfSpan } from './span-call.js';
import { textOf } from './span-values.js';
import { SpanError, type Span, type SpanGroup } from './span.js';

export interface SpanProblems {
  /** Every project that spans are for, also of those that were refused. */
  readonly projects: ReadonlySet<string>;
  /** A sentence for each span that cannot be stored. */
  readonly problems: readonly string[];
}

export interface SpanFacts extends SpanProblems {
  readonly facts: readonly NewFact[];
}

/** One fact per span: a whole call. */
export function spanFacts(
  groups: readonly SpanGroup[],
  project: string | undefined,
  receipt: IngestContext,
): SpanFacts {
  return eachSpan(groups, project, (span, group, projectId) => {
    const bytes = callOfSpan(span, group, projectId);
    return completedFact(recordAt(bytes, 0, [span.spanId]), receipt);
  });
}

/** The project stands in the request's header, else in what the spans say of their resource. */
export function eachSpan<Fact extends object>(
  groups: readonly SpanGroup[],
  project: string | undefined,
  factOf: (span: Span, group: SpanGroup, projectId: string) => Fact,
): SpanProblems & { readonly facts: readonly Fact[] } {
  requireFewSpans(groups);
  const bounds = new BatchBounds();
  const projects = new Set<string>();
  const facts: Fact[] = [];
  const problems: string[] = [];
  for (const group of groups) {
    const projectId = project ?? projectOf(group);
    requireProject(projectId);
    bounds.countProject(projectId);
    projects.add(projectId);
    for (const span of group.spans) {
      const fact = factOrProblem(() => {
        if (span instanceof SpanError) throw span;
        return factOf(span, group, projectId);
      });
      if (typeof fact === 'string') problems.push(fact);
      else facts.push(fact);
    }
  }
  return { projects, facts, problems };
}

function requireFewSpans(groups: readonly SpanGroup[]): void {
  const spans = groups.reduce((sum, group) => sum + group.spans.length, 0);
  if (spans > BATCH_MAX.items) throw tooMany(`The request has more than ${BATCH_MAX.items} spans`);
}

function projectOf({ resource }: SpanGroup): string {
  const entity = textOf(resource.get('wandb.entity'));
  const project = textOf(resource.get('wandb.project'));
  return entity && project ? `${entity}/${project}` : '';
}

function requireProject(projectId: string): void {
  if (PROJECT_ID.test(projectId)) return;
  throw new ProblemError(
    'invalid_request',
    projectId === ''
      ? 'These spans name no project: send the header project_id: <entity>/<project>, or the resource attributes wandb.entity and wandb.project.'
      : `The project ${projectId.slice(0, 80)} does not have the form <entity>/<project>.`,
  );
}

function factOrProblem<Fact extends object>(make: () => Fact): Fact | string {
  try {
    return make();
  } catch (error) {
    if (error instanceof SpanError) return error.message;
    if (!(error instanceof InvalidBodyError)) throw error;
    return error.message;
  }
}
