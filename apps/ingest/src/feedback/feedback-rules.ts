import type { FeedbackCreateRecord } from '@app/contracts';
import { ProblemError } from '@app/http';
import { withMember } from '@app/wire';
import { refOf, requireProject, requireRefText } from './feedback-refs.js';
import { reactionOf } from './reaction.js';

const PAYLOAD_MAX_BYTES = 1024 * 1024;
const NOTE_MAX = 1024;
const ANNOTATION = 'wandb.annotation.';
const RUNNABLE = 'wandb.runnable.';
const MONITOR = 'wandb.agent_monitor';
const USER_FEEDBACK = 'wandb.agent_user_feedback';
const SCORER_FIELDS = [
  'scorer_tags',
  'scorer_tag_reasons',
  'scorer_tag_confidences',
  'scorer_ratings',
  'scorer_rating_reasons',
  'scorer_rating_confidences',
] as const;

/** The fields that a type of feedback may have. */
interface Rules {
  readonly refs: readonly RefField[];
  readonly hasScorer?: boolean;
}
type RefField = 'annotation_ref' | 'runnable_ref' | 'call_ref' | 'trigger_ref';
const REF_FIELDS: readonly RefField[] = [
  'annotation_ref',
  'runnable_ref',
  'call_ref',
  'trigger_ref',
];
const SCORED: Rules = { refs: ['runnable_ref', 'call_ref', 'trigger_ref'], hasScorer: true };

function rulesOf(type: string): Rules {
  if (type.startsWith(ANNOTATION)) return { refs: ['annotation_ref'] };
  if (type.startsWith(RUNNABLE) || type === MONITOR || type === USER_FEEDBACK) return SCORED;
  return { refs: [] };
}

/** The name of the annotation spec in the type; undefined for other types. */
export const annotationOf = (type: string): string | undefined =>
  type.startsWith(ANNOTATION) ? type.slice(ANNOTATION.length) : undefined;

/** Checks everything that needs no query. Returns the payload, completed for reactions. */
export function checkedPayload(record: FeedbackCreateRecord, ref: string): Buffer {
  const { feedback_type: type, payload } = record;
  if (payload.bytes.length > PAYLOAD_MAX_BYTES) {
    throw bad(`payload has ${payload.bytes.length} bytes; at most ${PAYLOAD_MAX_BYTES}`);
  }
  requireRefText('weave_ref', ref);
  requireFields(record);
  const members = JSON.parse(payload.toString()) as Record<string, unknown>;
  if (type === 'wandb.reaction.1') return completedReaction(payload.toString(), members['emoji']);
  if (type === 'wandb.note.1') requireNote(members['note']);
  if (type.startsWith(RUNNABLE)) requireRunnable(record, members);
  if (type === MONITOR) SCORED.refs.forEach((field) => requireRef(record, field));
  if (type === USER_FEEDBACK && !record.scorer_tags?.length) {
    throw bad(`${USER_FEEDBACK} needs at least one of scorer_tags`);
  }
  return payload.bytes;
}

function requireFields(record: FeedbackCreateRecord): void {
  const type = record.feedback_type;
  const { refs, hasScorer } = rulesOf(type);
  for (const field of REF_FIELDS) {
    const ref = record[field];
    if (!ref) continue;
    if (!refs.includes(field))
      throw bad(`${field} is not allowed in feedback of type ${shown(type)}`);
    requireRefText(field, ref);
    if (field === 'annotation_ref') requireProject(field, ref, record.project_id);
  }
  const extra = hasScorer ? undefined : SCORER_FIELDS.find((field) => isGiven(record[field]));
  if (extra) throw bad(`${extra} is not allowed in feedback of type ${shown(type)}`);
}

const isGiven = (value: object | null | undefined) => value && Object.keys(value).length > 0;

function completedReaction(payload: string, emoji: unknown): Buffer {
  const reaction = typeof emoji === 'string' ? reactionOf(emoji) : undefined;
  if (!reaction) throw bad(`payload.emoji must be exactly one emoji, not ${shown(emoji)}`);
  const completed = Object.entries(reaction).reduce(
    (text, [key, value]) => withMember(text, key, JSON.stringify(value)),
    payload,
  );
  return Buffer.from(completed);
}

function requireNote(note: unknown): void {
  if (typeof note !== 'string') throw bad(`payload.note must be text, not ${shown(note)}`);
  const { length } = [...note];
  if (length < 1 || length > NOTE_MAX) {
    throw bad(`payload.note has ${length} characters; it must have 1 to ${NOTE_MAX}`);
  }
}

function requireRunnable(record: FeedbackCreateRecord, payload: Record<string, unknown>): void {
  const name = record.feedback_type.slice(RUNNABLE.length);
  const ref = refOf('runnable_ref', requireRef(record, 'runnable_ref'));
  if (ref.kind !== 'op' && ref.kind !== 'object') {
    throw bad(`runnable_ref must be the ref of an op or an object, not of a ${ref.kind}`);
  }
  if (ref.name !== name) {
    throw bad(`runnable_ref names ${shown(ref.name)}, but feedback_type names ${shown(name)}`);
  }
  if (!('output' in payload)) throw bad('payload.output is missing');
  if (ref.kind === 'op') requireRef(record, 'call_ref');
}

export function requireRef(record: FeedbackCreateRecord, field: RefField): string {
  const ref = record[field];
  if (ref) return ref;
  throw bad(`${field} is required in feedback of type ${shown(record.feedback_type)}`);
}

const shown = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 100);
const bad = (why: string) => new ProblemError('invalid_request', `${why}.`);
