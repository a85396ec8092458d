import { Injectable } from '@nestjs/common';
import {
  ObjectCreateRecord,
  REF_SCHEME,
  type EvaluationCreateRecord,
  type ModelCreateRecord,
  type ScorerCreateRecord,
} from '@app/contracts';
import { JsonText } from '@app/wire';
import { Clock } from '../clock.js';
import { FileStore } from '../files/file-store.js';
import type { RecordContext } from '../record-facts.js';
import { TablePublisher } from '../tables/table-publisher.js';
import { publishedFact } from './object-facts.js';
import { ObjectsPublisher } from './objects.publisher.js';
import type { NewDataset } from './read-dataset.js';
import {
  CODE_FILE,
  datasetValue,
  evaluationValue,
  modelValue,
  NAME_WITH_OPS_MAX,
  objectIdOf,
  opValue,
  placeholderCode,
  scorerValue,
} from './typed-values.js';

/** A version that was published. */
export interface PublishedVersion {
  readonly object_id: string;
  readonly digest: string;
  readonly version_index: number;
  readonly ref: string;
}

type Owner = Omit<RecordContext, 'receivedAt'>;

/** Publishes ops, datasets, scorers, evaluations and models as the SDKs do: as objects, files and tables. */
@Injectable()
export class TypedObjects {
  constructor(
    private readonly objects: ObjectsPublisher,
    private readonly files: FileStore,
    private readonly tables: TablePublisher,
    private readonly clock: Clock,
  ) {}

  /** Resolves when the op and its code can be read. The id is not changed, so that a ref can name it. */
  async op(objectId: string, code: string, owner: Owner): Promise<PublishedVersion> {
    return this.publish('op', objectId, opValue(await this.code(code, owner)), owner);
  }

  async dataset({ record, table }: NewDataset, owner: Owner): Promise<PublishedVersion> {
    const objectId = objectIdOf(record.name, 'Dataset');
    await this.tables.publish(table);
    const rows = `${REF_SCHEME}${owner.projectId}/table/${table.digest}`;
    return this.publish('object', objectId, datasetValue(record, rows), owner);
  }

  async scorer(record: ScorerCreateRecord, owner: Owner): Promise<PublishedVersion> {
    const objectId = objectIdOf(record.name, 'Scorer', NAME_WITH_OPS_MAX);
    const [score, summarize] = await Promise.all([
      this.op(`${objectId}_score`, record.op_source_code, owner),
      this.op(`${objectId}_summarize`, placeholderCode('summarize'), owner),
    ]);
    const ops = { score: score.ref, summarize: summarize.ref };
    return this.publish('object', objectId, scorerValue(record, ops), owner);
  }

  async evaluation(record: EvaluationCreateRecord, owner: Owner): Promise<PublishedVersion> {
    const objectId = objectIdOf(record.name, 'Evaluation', NAME_WITH_OPS_MAX);
    const named = async (name: string) =>
      (await this.op(`${objectId}.${name}`, placeholderCode(name), owner)).ref;
    const [evaluate, predict_and_score, summarize] = await Promise.all([
      named('evaluate'),
      named('predict_and_score'),
      named('summarize'),
    ]);
    const value = evaluationValue(record, { evaluate, predict_and_score, summarize });
    return this.publish('object', objectId, value, owner);
  }

  async model(record: ModelCreateRecord, owner: Owner): Promise<PublishedVersion> {
    const objectId = objectIdOf(record.name, 'Model');
    const value = modelValue(record, await this.code(record.source_code, owner));
    return this.publish('object', objectId, value, owner);
  }

  private code(code: string, owner: Owner): Promise<string> {
    return this.files.storeBytes(CODE_FILE, Buffer.from(code), this.context(owner));
  }

  private async publish(
    kind: 'object' | 'op',
    object_id: string,
    val: Buffer,
    owner: Owner,
  ): Promise<PublishedVersion> {
    const { projectId: project_id } = owner;
    const record = Object.assign(new ObjectCreateRecord(), {
      project_id,
      object_id,
      val: new JsonText(val),
    });
    const fact = publishedFact(record, this.context(owner));
    const version_index = await this.objects.publish(fact);
    const { digest } = fact.data;
    const ref = `${REF_SCHEME}${project_id}/${kind}/${object_id}:${digest}`;
    return { object_id, digest, version_index, ref };
  }

  private context({ projectId, userId }: Owner): RecordContext {
    return { projectId, userId, receivedAt: this.clock.now() };
  }
}
