import type { Type } from '@nestjs/common';
import {
  DatasetSchema,
  EvaluationSchema,
  ModelSchema,
  OpSchema,
  ScorerSchema,
  type ObjectsFilter,
} from '@app/contracts';
import { memberSpans, micros, printTimestamp } from '@app/wire';
import type { ObjectRow } from './objects.sql.js';

/** How the versions of one class are shown by the routes of that class. */
export interface ObjectView {
  /** The last part of the route. */
  readonly path: string;
  /** With an article, for people. */
  readonly what: string;
  readonly response: Type;
  /** Which versions are listed. */
  readonly filter: ObjectsFilter;
  /** Whether `code` is needed. */
  readonly hasCode: boolean;
  /** The members that a version of this class has in addition, as JSON texts. */
  readonly members: (val: ObjectValue, code: string) => Readonly<Record<string, string>>;
}

const ofClass = (name: string): ObjectsFilter => ({ is_op: false, base_object_classes: [name] });

export const OP_VIEW: ObjectView = {
  path: 'ops',
  what: 'an op',
  response: OpSchema,
  filter: { is_op: true, latest_only: true },
  hasCode: true,
  members: (_, code) => ({ code: JSON.stringify(code) }),
};

export const DATASET_VIEW: ObjectView = {
  path: 'datasets',
  what: 'a dataset',
  response: DatasetSchema,
  filter: ofClass('Dataset'),
  hasCode: false,
  members: (val) => ({ ...named(val), rows: val.text('rows') ?? '""' }),
};

export const SCORER_VIEW: ObjectView = {
  path: 'scorers',
  what: 'a scorer',
  response: ScorerSchema,
  filter: ofClass('Scorer'),
  hasCode: false,
  members: (val) => ({ ...named(val), score_op: val.text('score') ?? '""' }),
};

export const EVALUATION_VIEW: ObjectView = {
  path: 'evaluations',
  what: 'an evaluation',
  response: EvaluationSchema,
  filter: ofClass('Evaluation'),
  hasCode: false,
  members: (val) => ({
    ...named(val),
    dataset: val.text('dataset') ?? '""',
    scorers: JSON.stringify(val.texts('scorers')),
    trials: val.integer('trials') ?? '1',
    evaluation_name: val.text('evaluation_name') ?? 'null',
    evaluate_op: val.text('evaluate') ?? 'null',
    predict_and_score_op: val.text('predict_and_score') ?? 'null',
    summarize_op: val.text('summarize') ?? 'null',
  }),
};

export const MODEL_VIEW: ObjectView = {
  path: 'models',
  what: 'a model',
  response: ModelSchema,
  filter: ofClass('Model'),
  hasCode: true,
  members: (val, code) => ({
    ...named(val),
    source_code: JSON.stringify(code),
    attributes: val.others(['_type', '_class_name', '_bases', 'name', 'description', 'files']),
  }),
};

const named = (val: ObjectValue) => ({
  name: val.text('name') ?? JSON.stringify(val.objectId),
  description: val.text('description') ?? 'null',
});

/** Whether a version belongs to the view. */
export const isOfView = ({ filter }: ObjectView, { kind, base }: ObjectRow): boolean =>
  filter.is_op ? kind === 'op' : kind === 'object' && filter.base_object_classes![0] === base;

/** The version as JSON text. */
export function shownVersion(view: ObjectView, row: ObjectRow, code: string): string {
  const common = {
    object_id: row.object_id,
    digest: row.digest,
    version_index: row.idx,
    created_at: printTimestamp(micros(Number(row.created))),
  };
  const members = Object.entries(view.members(new ObjectValue(row), code));
  const texts = members.map(([name, text]) => `,${JSON.stringify(name)}:${text}`);
  return `${JSON.stringify(common).slice(0, -1)}${texts.join('')}}`;
}

const CODE_FILE = 'obj.py';

/** Members of the value of a version, as the exact texts that were published. */
export class ObjectValue {
  readonly objectId: string;
  private readonly json: Buffer;
  private readonly members: ReturnType<typeof memberSpans>;

  constructor({ object_id, val }: Pick<ObjectRow, 'object_id' | 'val'>) {
    this.objectId = object_id;
    this.json = Buffer.from(val ?? '{}');
    this.members = memberSpans(this.json);
  }

  /** The member if it is a text. */
  text(name: string): string | undefined {
    const json = this.jsonOf(name);
    return json?.startsWith('"') ? json : undefined;
  }

  integer(name: string): string | undefined {
    const json = this.jsonOf(name);
    return json && /^-?\d{1,15}$/.test(json) ? json : undefined;
  }

  /** The texts of a list. An SDK may also publish objects there, which have no ref. */
  texts(name: string): string[] {
    const list = this.parsed(name);
    return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
  }

  /** The digest of the file with the code. */
  get codeDigest(): string | undefined {
    const files = this.parsed('files');
    const digest = (files as Record<string, unknown> | null | undefined)?.[CODE_FILE];
    return typeof digest === 'string' ? digest : undefined;
  }

  /** An object with the members that are not listed; null when there are none. */
  others(listed: readonly string[]): string {
    const names = [...this.members.keys()].filter((name) => !listed.includes(name));
    const texts = names.map((name) => `${JSON.stringify(name)}:${this.jsonOf(name)}`);
    return texts.length === 0 ? 'null' : `{${texts.join(',')}}`;
  }

  private parsed(name: string): unknown {
    const json = this.jsonOf(name);
    return json === undefined ? undefined : (JSON.parse(json) as unknown);
  }

  private jsonOf(name: string): string | undefined {
    const span = this.members.get(name);
    return span && this.json.toString('utf8', span.start, span.end);
  }
}
