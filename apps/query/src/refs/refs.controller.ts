import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { parseRef, RefError, RefsReadRequest, RefsReadResponse, type Ref } from '@app/contracts';
import { JsonResponse, Operation, ProblemError } from '@app/http';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import { RefResolver } from './ref-resolver.js';

const REFS_MAX = 1000;

@ApiTags('refs')
@Controller('refs')
export class RefsController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly resolver: RefResolver,
  ) {}

  @Operation('read_batch', {
    summary: 'Read the values that refs point to',
    body: RefsReadRequest,
    response: RefsReadResponse,
  })
  async read(
    @Body() body: RefsReadRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<JsonResponse> {
    if (body.refs.length > REFS_MAX) {
      const reason = `refs names ${body.refs.length} refs; send at most ${REFS_MAX} at a time.`;
      throw new ProblemError('invalid_request', reason);
    }
    const refs = body.refs.map(parseValueRef);
    const projectIds = new Set(refs.map((ref) => ref.projectId));
    const context = await this.authorizer.authorizeRead(read, ...projectIds);
    const values = await this.resolver.resolve(refs, context);
    return new JsonResponse(`{"vals":[${values.map((value) => value ?? 'null').join(',')}]}`);
  }
}

function parseValueRef(text: string): Ref {
  const ref = parseRef(text);
  if (ref.kind === 'call') throw new RefError(`${text.slice(0, 200)} is a call, not an object.`);
  if (ref.kind === 'table' && ref.extra.length === 0) {
    throw new RefError(`${text.slice(0, 200)} is a whole table; use table/query.`);
  }
  return ref;
}
