import { Injectable } from '@nestjs/common';
import type { Principal } from '@app/auth';
import type { ObjectPublished } from '@app/events';
import { ProblemError } from '@app/http';
import { JsonText } from '@app/wire';
import { Clock } from '../clock.js';
import { ObjectDeletion } from '../objects/object-deletion.js';
import { publishedFact } from '../objects/object-facts.js';
import { ObjectsPublisher } from '../objects/objects.publisher.js';
import { VersionsReader } from '../objects/versions.reader.js';
import { authorizedContext } from '../record-facts.js';
import { ProvidersReader, type StoredProvider } from './providers.reader.js';
import { modelPrefix, modelValue, providerValue, type Runtime } from './runtime-values.js';

type Class = 'Provider' | 'ProviderModel';

/** Stores a runtime as clients expect it: an object of the class Provider, and one of the class ProviderModel for each model. */
@Injectable()
export class RuntimeStore {
  constructor(
    private readonly objects: ObjectsPublisher,
    private readonly versions: VersionsReader,
    private readonly providers: ProvidersReader,
    private readonly deletion: ObjectDeletion,
    private readonly clock: Clock,
  ) {}

  /** Resolves when all objects can be read. All is checked before the first write, and repeating it is safe. */
  async store(caller: Principal, projectId: string, runtime: Runtime): Promise<void> {
    const fact = (name: string, objectClass: Class, value: object) =>
      this.fact(caller, projectId, name, objectClass, value);
    const [own, stored] = await this.readStored(projectId, runtime);
    const provider = fact(runtime.objectId, 'Provider', providerValue(runtime));
    await this.objects.publish(provider);
    const models = runtime.models.map((model) =>
      fact(model.objectId, 'ProviderModel', modelValue(model, provider.data.digest)),
    );
    await Promise.all(models.map((model) => this.objects.publish(model)));
    const kept = new Set(runtime.models.map(({ objectId }) => objectId));
    const others = stored.filter((one) => own.has(one.provider) && !kept.has(one.object_id));
    for (const { object_id: objectId } of others) {
      await this.deletion.delete(caller, { projectId, objectId, digests: null });
    }
  }

  /** The digests of the provider so far, and the stored models. Rejects when a name is in use for something else. */
  private async readStored(
    projectId: string,
    runtime: Runtime,
  ): Promise<[Set<string>, StoredProvider[]]> {
    const [known, providers, models] = await Promise.all([
      this.versions.read(projectId, runtime.objectId),
      this.providers.read(projectId, 'Provider', runtime.objectId),
      this.providers.read(projectId, 'ProviderModel', modelPrefix(runtime)),
    ]);
    const provider = providers.find(({ object_id }) => object_id === runtime.objectId);
    if (provider && provider.name !== runtime.name) throw inUse(runtime.objectId);
    const own = new Set(known.versions.map(({ digest }) => digest));
    const wanted = new Set(runtime.models.map(({ objectId }) => objectId));
    const foreign = models.find((one) => wanted.has(one.object_id) && !own.has(one.provider));
    if (foreign) throw inUse(foreign.object_id);
    return [own, models];
  }

  private fact(
    caller: Principal,
    projectId: string,
    objectId: string,
    objectClass: Class,
    value: object,
  ): ObjectPublished {
    const context = authorizedContext(caller, 'change', projectId, this.clock);
    const val = new JsonText(Buffer.from(JSON.stringify(value)));
    const record = { project_id: projectId, object_id: objectId, val };
    return publishedFact({ ...record, builtin_object_class: objectClass }, context);
  }
}

const inUse = (objectId: string) =>
  new ProblemError('invalid_request', `The object ${objectId} belongs to another runtime.`);
