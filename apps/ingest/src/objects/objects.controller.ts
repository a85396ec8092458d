import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, type Principal } from '@app/auth';
import {
  ObjectCreateRequest,
  ObjectCreateResponse,
  ObjectDeleteRequest,
  ObjectDeleteResponse,
} from '@app/contracts';
import { asBuffer, Operation } from '@app/http';
import { Clock } from '../clock.js';
import { ObjectDeletion } from './object-deletion.js';
import { ObjectsPublisher } from './objects.publisher.js';
import { readObjectOf } from './read-object.js';
import { deleteResponse } from './version-changes.js';

@ApiTags('objects')
@Controller('obj')
export class ObjectsController {
  constructor(
    private readonly objects: ObjectsPublisher,
    private readonly deletion: ObjectDeletion,
    private readonly clock: Clock,
  ) {}

  @Operation('create', {
    needs: 'write',
    summary: 'Publish a value under a name',
    body: ObjectCreateRequest,
    response: ObjectCreateResponse,
  })
  async create(@Body() body: Buffer, @Caller() caller: Principal): Promise<ObjectCreateResponse> {
    const fact = await readObjectOf(body, caller, this.clock.now());
    await this.objects.publish({ ...fact, body: asBuffer(fact.body) });
    return { digest: fact.data.digest, object_id: fact.data.objectId };
  }

  @Operation('delete', {
    needs: 'delete',
    summary: 'Delete versions of an object',
    body: ObjectDeleteRequest,
    response: ObjectDeleteResponse,
  })
  async delete(
    @Body() { project_id, object_id, digests }: ObjectDeleteRequest,
    @Caller() caller: Principal,
  ): Promise<ObjectDeleteResponse> {
    const deletion = { projectId: project_id, objectId: object_id, digests };
    return deleteResponse(await this.deletion.delete(caller, deletion));
  }
}
