import { Body, Controller, Header, Headers, Req, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Authenticator, type IncomingRequest } from '@app/auth';
import { CallsTailEvent, CallsTailRequest } from '@app/contracts';
import { Operation } from '@app/http';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import { authorizeCalls } from './calls-access.js';
import { CallsTails } from './calls-tail.js';

@ApiTags('calls')
@Controller()
export class CallsTailController {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly authorizer: ReadAuthorizer,
    private readonly tails: CallsTails,
  ) {}

  @Operation('calls/tail', {
    needs: 'read',
    summary: 'Receive calls as they are written, as server-sent events',
    body: CallsTailRequest,
    response: CallsTailEvent,
    type: 'text/event-stream',
  })
  @Header('cache-control', 'no-store')
  async tail(
    @Body() body: CallsTailRequest,
    @CurrentRead() read: IncomingRead,
    @Req() request: IncomingRequest,
    @Headers('last-event-id') lastEventId?: string,
  ): Promise<StreamableFile> {
    const context = await authorizeCalls(this.authorizer, read, body);
    const isAccepted = () => this.authenticator.isStillAccepted(request);
    const since = body.since ?? lastEventId;
    const events = await this.tails.open(body, context, { isAccepted, since });
    return new StreamableFile(events, { type: 'text/event-stream; charset=utf-8' });
  }
}
