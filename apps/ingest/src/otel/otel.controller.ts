import { Controller, Req, Res } from '@nestjs/common';
import { ApiConsumes, ApiHeader, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Caller, requireAccess, type Principal } from '@app/auth';
import { OtlpTraceRequest, OtlpTraceResponse } from '@app/contracts';
import { Operation, ProblemError, type OperationDoc } from '@app/http';
import { CallIntake } from '../calls/call-intake.js';
import { otlpResponse } from './otlp-response.js';
import { readSpansOf } from './read-spans.js';

const PROTOBUF = 'application/x-protobuf';
const JSON_TYPE = 'application/json';

const doc: OperationDoc = {
  needs: 'write',
  summary: 'Store the spans of OpenTelemetry as calls',
  body: OtlpTraceRequest,
  response: OtlpTraceResponse,
};

/** OTLP over HTTP. A resent span is the same fact, so exporters may send it again at any time. */
@ApiTags('otel')
@ApiConsumes(JSON_TYPE, PROTOBUF)
@ApiHeader({
  name: 'project_id',
  description: '<entity>/<project>; else the resource attributes wandb.entity and wandb.project.',
  // What a header can carry; a project with other characters is named in the resource.
  schema: { type: 'string', pattern: '^[!-.0-~]+/[!-.0-~]+$' },
})
@Controller()
export class OtelController {
  constructor(private readonly intake: CallIntake) {}

  @Operation('otel/v1/traces', doc)
  traces(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Caller() caller: Principal,
  ): Promise<void> {
    return this.take(request, reply, caller);
  }

  /** Where the agent integrations of the Python client send theirs. */
  @Operation('agents/otel/v1/traces', doc)
  agentTraces(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Caller() caller: Principal,
  ): Promise<void> {
    return this.take(request, reply, caller);
  }

  private async take(
    { headers, body }: FastifyRequest,
    reply: FastifyReply,
    caller: Principal,
  ): Promise<void> {
    const type = typeOf(headers['content-type']);
    const project = headers['project_id'] as string | undefined;
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    const context = this.intake.readContext(caller);
    const made = await readSpansOf(bytes, type === JSON_TYPE, project?.trim(), context);
    requireAccess(caller, 'write', made.projects);
    await this.intake.acceptRead(caller, made.facts);
    await reply.type(type).send(otlpResponse(made.problems, type === JSON_TYPE));
  }
}

function typeOf(header = ''): string {
  const type = header.split(';', 1)[0]!.trim().toLowerCase();
  if (type === JSON_TYPE || type === PROTOBUF) return type;
  if (type === 'application/protobuf') return PROTOBUF;
  throw new ProblemError('unsupported_encoding', `Spans come as ${PROTOBUF} or ${JSON_TYPE}.`);
}
