import { Controller, Req, Res } from '@nestjs/common';
import { ApiConsumes, ApiHeader, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Caller, requireAccess, type Principal } from '@app/auth';
import { OtlpTraceRequest, OtlpTraceResponse } from '@app/contracts';
import type { SpanRecorded } from '@app/events';
import { asBuffer, Operation, ProblemError, type OperationDoc } from '@app/http';
import { RecordPublisher } from '@app/queue';
import { CallIntake } from '../calls/call-intake.js';
import { readAgentSpansOf } from './agent-facts.js';
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
  constructor(
    private readonly intake: CallIntake,
    private readonly records: RecordPublisher,
  ) {}

  @Operation('otel/v1/traces', doc)
  traces(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Caller() caller: Principal,
  ): Promise<void> {
    return this.take(request, reply, caller);
  }

  /** Where the agent integrations of the Python client send theirs. They are no calls: the client may have traced the same as a call. */
  @Operation('agents/otel/v1/traces', { ...doc, summary: 'Store the spans of agents' })
  async agentTraces(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Caller() caller: Principal,
  ): Promise<void> {
    const { bytes, type, isJson, project } = requestOf(request);
    const made = await readAgentSpansOf(bytes, isJson, project, this.intake.readContext(caller));
    requireAccess(caller, 'write', made.projects);
    for (const facts of publishedTogether(made.facts)) await this.records.publish(facts);
    await reply.type(type).send(otlpResponse(made.problems, isJson));
  }

  private async take(
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Principal,
  ): Promise<void> {
    const { bytes, type, isJson, project } = requestOf(request);
    const made = await readSpansOf(bytes, isJson, project, this.intake.readContext(caller));
    requireAccess(caller, 'write', made.projects);
    await this.intake.acceptRead(caller, made.facts);
    await reply.type(type).send(otlpResponse(made.problems, isJson));
  }
}

function requestOf({ headers, body }: FastifyRequest) {
  const type = typeOf(headers['content-type']);
  const project = headers['project_id'] as string | undefined;
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  return { bytes, type, isJson: type === JSON_TYPE, project: project?.trim() };
}

/** Facts that Redis orders in one step. */
const FACTS_PER_CHUNK = 500;

/** Facts of one project each. */
function publishedTogether(facts: readonly SpanRecorded[]): SpanRecorded[][] {
  const lists = new Map<string, SpanRecorded[][]>();
  for (const fact of facts) {
    const ofProject = lists.get(fact.projectId) ?? [];
    lists.set(fact.projectId, ofProject);
    const last = ofProject.at(-1);
    const whole = { ...fact, body: asBuffer(fact.body) };
    if (last && last.length < FACTS_PER_CHUNK) last.push(whole);
    else ofProject.push([whole]);
  }
  return [...lists.values()].flat();
}

function typeOf(header = ''): string {
  const type = header.split(';', 1)[0]!.trim().toLowerCase();
  if (type === JSON_TYPE || type === PROTOBUF) return type;
  if (type === 'application/protobuf') return PROTOBUF;
  throw new ProblemError('unsupported_encoding', `Spans come as ${PROTOBUF} or ${JSON_TYPE}.`);
}
