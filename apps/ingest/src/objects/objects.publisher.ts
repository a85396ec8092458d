import { Injectable } from '@nestjs/common';
import type { ObjectPublished } from '@app/events';
import { ProblemError } from '@app/http';
import {
  OrderingRefusedError,
  RecordPublisher,
  VersionNames,
  versionsKey,
  type VersionsSeed,
} from '@app/queue';
import { VersionsReader } from './versions.reader.js';

/** Redis keys are numbered from 1. The first two are the payload and the clock. */
const FIRST_KEY = 3;
const ATTEMPTS = 3;

/** Publishes versions. The transaction that makes a version durable also assigns its index. */
@Injectable()
export class ObjectsPublisher {
  constructor(
    private readonly records: RecordPublisher,
    private readonly names: VersionNames,
    private readonly versions: VersionsReader,
  ) {}

  /** Resolves when the version can be read, to its index. */
  async publish(fact: ObjectPublished): Promise<number> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.publishOnce(fact);
      } catch (error) {
        if (!(error instanceof OrderingRefusedError)) throw error;
        if (error.reason !== 'unseeded')
          throw otherClass(fact, error.reason.slice('class:'.length));
        // Redis dropped the versions of the name between the lookup and the write.
        if (attempt === ATTEMPTS) throw error;
      }
    }
  }

  private async publishOnce(fact: ObjectPublished): Promise<number> {
    const { digest, kind, objectId, baseClass } = fact.data;
    const seed = await this.seedOf(fact);
    const step = { publish: FIRST_KEY, digest, class: baseClass, ...(seed && { seed }) };
    const [order] = await this.records.publish([fact], {
      keys: [versionsKey(fact.projectId, kind, objectId)],
      steps: [step],
    });
    return order!.versionIndex;
  }

  /** Reads ClickHouse only for a name that Redis does not have: a new one, or one that was not used for long. */
  private async seedOf({ projectId, data }: ObjectPublished): Promise<VersionsSeed | undefined> {
    const { kind, objectId } = data;
    if (await this.names.isKnown(projectId, kind, objectId)) return undefined;
    return this.versions.seed(projectId, kind, objectId);
  }
}

function otherClass({ data }: ObjectPublished, bound: string): ProblemError {
  const named = (name: string) => (name === '' ? 'no class' : `the class ${name}`);
  return new ProblemError(
    'class_mismatch',
    `${data.objectId} holds values of ${named(bound)}; this one is of ${named(data.baseClass)}. Publish it under another name.`,
  );
}
