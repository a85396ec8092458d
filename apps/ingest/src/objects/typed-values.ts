import {
  OBJECT_NAME,
  type EvaluationCreateRecord,
  type ModelCreateRecord,
  type ScorerCreateRecord,
} from '@app/contracts';
import { InvalidBodyError, ProblemError } from '@app/http';
import { memberSpans, type JsonText } from '@app/wire';

/** The file that holds the code of an op or a model. */
export const CODE_FILE = 'obj.py';

const NAME_MAX = 128;
/** The names of an object's ops are longer than its own. */
export const NAME_WITH_OPS_MAX = 100;

/** The code of an op that was published without any. */
export const placeholderCode = (name = 'op'): string => `import weave


@weave.op
def ${name}(*args, **kwargs):
    raise NotImplementedError("The code of this op was not sent.")
`;

/** The id of an object: its name in lower case, with underscores for spaces and slashes, without other characters. */
export function objectIdOf(
  name: string | null | undefined,
  unnamed: string,
  maxLength = NAME_MAX,
): string {
  if (name === null || name === undefined) return unnamed;
  const id = name
    .replace(/[ /]/g, '_')
    .replace(/[^\p{L}\p{M}\p{N}_.-]/gu, '')
    .toLowerCase();
  if (id.length <= maxLength && OBJECT_NAME.test(id)) return id;
  const msg = `must have 1 to ${maxLength} letters, digits, "_", "." or "-"`;
  throw new InvalidBodyError([{ loc: ['body', 'name'], msg, type: 'matches' }]);
}

export const opValue = (fileDigest: string): Buffer =>
  printed({
    _type: 'CustomWeaveType',
    weave_type: { type: 'Op' },
    files: { [CODE_FILE]: fileDigest },
  });

export const datasetValue = ({ name, description }: NamedRecord, rows: string): Buffer =>
  printed({ ...head('Dataset', { name: name ?? 'Dataset', description }), rows });

export const scorerValue = (
  record: ScorerCreateRecord,
  ops: { readonly score: string; readonly summarize: string },
): Buffer => printed({ ...head('Scorer', record), ...ops, column_map: null });

export function evaluationValue(
  record: EvaluationCreateRecord,
  ops: {
    readonly evaluate: string;
    readonly predict_and_score: string;
    readonly summarize: string;
  },
): Buffer {
  const { dataset, scorers, trials, evaluation_name, eval_attributes } = record;
  const members = {
    ...head('Evaluation', record),
    dataset,
    scorers: scorers ?? [],
    trials: trials ?? 1,
    evaluation_name: evaluation_name ?? null,
    metadata: null,
    preprocess_model_input: null,
    ...ops,
  };
  return printed(members, { name: 'eval_attributes', json: eval_attributes });
}

export function modelValue(record: ModelCreateRecord, fileDigest: string): Buffer {
  const members = { ...head('Model', record), files: { [CODE_FILE]: fileDigest } };
  return printed(members, { name: 'attributes', json: record.attributes });
}

interface NamedRecord {
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
}

/** As the SDK publishes an object of a class. */
const head = (className: string, { name, description }: NamedRecord) => ({
  _type: className,
  _class_name: className,
  _bases: ['Object', 'BaseModel'],
  name,
  description: description ?? null,
});

interface Attributes {
  readonly name: string;
  readonly json: JsonText | null | undefined;
}

/** The value as JSON text. The attributes of the client are inserted as they were sent. */
function printed(members: Readonly<Record<string, unknown>>, attributes?: Attributes): Buffer {
  const own = JSON.stringify(members);
  const spans = [...(attributes?.json ? memberSpans(attributes.json.bytes) : [])];
  if (spans.length === 0) return Buffer.from(own);
  const taken = spans.find(([key]) => Object.hasOwn(members, key) || key.startsWith('_'));
  if (taken !== undefined) {
    const shown = JSON.stringify(taken[0].slice(0, 60));
    throw new ProblemError(
      'invalid_request',
      `${attributes!.name} must not have ${shown}, which the server sets itself.`,
    );
  }
  const { bytes } = attributes!.json!;
  const more = spans.map(
    ([key, { start, end }]) => `${JSON.stringify(key)}:${bytes.toString('utf8', start, end)}`,
  );
  return Buffer.from(`${own.slice(0, -1)},${more.join(',')}}`);
}
