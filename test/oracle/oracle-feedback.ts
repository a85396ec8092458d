import { nodeAt, readNode, type Node } from './json-node.js';

/** Feedback of a call as a client sent it, with its payload as JSON text. */
export interface SentFeedback {
  readonly type: string;
  readonly payload: string;
  readonly runnable_ref?: string;
  readonly call_ref?: string;
  readonly trigger_ref?: string;
}

/** Types of which a call may have many entries, and any of them may match. Of every other type the newest counts. */
const MULTIPLE = ['wandb.note.1', '*'];

export interface FeedbackValue {
  /** The newest entry with a value, where only one value is possible. */
  readonly node: Node | undefined;
  /** All entries, when any of them may match. */
  readonly entries?: readonly (Node | undefined)[];
}

/** The value at a path of a call's feedback of a type, or its ref; the oldest feedback first. */
export function feedbackAt(
  feedback: readonly SentFeedback[],
  type: string,
  of: string,
  keys: readonly string[],
): FeedbackValue {
  const nodes = feedback
    .filter((one) => type === '*' || one.type === type)
    .map((one) => textIn(one, of))
    .map((text) => (text === undefined ? undefined : nodeAt(readNode(text), keys)));
  if (!MULTIPLE.includes(type)) return { node: nodes.at(-1) };
  const node = nodes.findLast((one) => one !== undefined && one.type !== 'null');
  return { node, entries: nodes };
}

/** The payload or the ref as JSON, or undefined. */
function textIn(feedback: SentFeedback, of: string): string | undefined {
  if (of === 'payload') return feedback.payload;
  const ref = of === 'runnable_ref' ? feedback.runnable_ref : feedback.trigger_ref;
  return ref === undefined ? undefined : JSON.stringify(ref);
}
