import { Body, Controller, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Caller, type Principal } from '@app/auth';
import {
  DeadLetterCheckRequest,
  DeadLetterCheckResponse,
  DeadLetterFindRequest,
  DeadLetterFindResponse,
  DeadLetterPartRequest,
  DeadLetterReadRequest,
  DeadLetterReadResponse,
  DeadLettersDropRequest,
  DeadLettersDropResponse,
  DeadLettersQueryRequest,
  DeadLettersQueryResponse,
  DeadLettersReplayRequest,
  DeadLettersReplayResponse,
} from '@app/contracts';
import { Operation, ProblemError } from '@app/http';
import { correctedItem } from './corrected-item.js';
import { deadLetterRecord, filterOf, nextOf, scopeOf } from './dead-letter-filter.js';
import { DeadLetterReplay } from './dead-letter-replay.js';
import { DeadLetters } from './dead-letters.js';
import { MORE_BYTES, partWithin } from './item-part.js';
import { DeadLettersReader, type StoredDeadLetter } from './dead-letters.reader.js';

const LISTED = 100;
const SHOWN_BYTES = 200_000;

const BYTES = {
  'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
} as const;

/** An admin sees and changes the dead letters of scopes that they administer, and of no other. */
@ApiTags('admin')
@Controller('admin/dead-letters')
export class DeadLettersController {
  constructor(
    private readonly reader: DeadLettersReader,
    private readonly replays: DeadLetterReplay,
    private readonly deadLetters: DeadLetters,
  ) {}

  @Operation('query', {
    needs: 'admin',
    summary: 'Count dead letters by reason and list them',
    body: DeadLettersQueryRequest,
    response: DeadLettersQueryResponse,
  })
  async query(
    @Body() body: DeadLettersQueryRequest,
    @Caller() caller: Principal,
  ): Promise<DeadLettersQueryResponse> {
    const filter = filterOf(body, caller);
    const limit = body.limit ?? LISTED;
    const [groups, found] = await Promise.all([
      this.reader.reasons(filter),
      this.reader.list(filter, limit),
    ]);
    const reasons = groups.map(({ kind, reason, count, bytes }) => ({
      ...{ kind, reason_group: reason },
      count: Number(count),
      bytes: Number(bytes),
    }));
    return { reasons, dead_letters: found.map(deadLetterRecord), next: nextOf(found, limit) };
  }

  @Operation('read', {
    needs: 'admin',
    summary: 'Read a dead letter and a part of its item',
    body: DeadLetterPartRequest,
    response: DeadLetterReadResponse,
  })
  async read(
    @Body() body: DeadLetterPartRequest,
    @Caller() caller: Principal,
  ): Promise<DeadLetterReadResponse> {
    const deadLetter = await this.found(body, caller);
    const record = deadLetterRecord(deadLetter);
    const requested = body.offset ?? 0;
    const bytes = await this.reader.part(deadLetter, requested, SHOWN_BYTES + MORE_BYTES);
    const [from, to] = partWithin(bytes, SHOWN_BYTES, requested === 0);
    const end = requested + to;
    return {
      ...record,
      item: bytes.toString('utf8', from, to),
      offset: requested + from,
      next_offset: end < record.bytes ? end : null,
      is_whole: to - from === record.bytes,
    };
  }

  @Operation('find', {
    needs: 'admin',
    summary: 'Find text in the item of a dead letter',
    body: DeadLetterFindRequest,
    response: DeadLetterFindResponse,
  })
  async find(
    @Body() body: DeadLetterFindRequest,
    @Caller() caller: Principal,
  ): Promise<DeadLetterFindResponse> {
    const deadLetter = await this.found(body, caller);
    const offset = await this.reader.find(deadLetter, body.text, body.offset ?? 0);
    return { offset: offset ?? null };
  }

  @ApiResponse({ status: 200, description: 'The item as it was sent.', content: BYTES })
  @Operation('content', {
    needs: 'admin',
    summary: 'Download the item of a dead letter',
    body: DeadLetterReadRequest,
    response: Object,
  })
  async content(
    @Body() body: DeadLetterReadRequest,
    @Caller() caller: Principal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const item = await this.reader.item(await this.found(body, caller));
    await reply.status(200).type('application/octet-stream').send(item);
  }

  @Operation('check', {
    needs: 'admin',
    summary: 'Whether ingest would accept a dead letter now, as it is or corrected',
    body: DeadLetterCheckRequest,
    response: DeadLetterCheckResponse,
  })
  async check(
    @Body() body: DeadLetterCheckRequest,
    @Caller() caller: Principal,
  ): Promise<DeadLetterCheckResponse> {
    const scope = scopeOf(body, caller);
    const deadLetter = await this.found(body, caller);
    const item = await correctedItem(body, () => this.reader.item(deadLetter));
    const { state, reason } = this.replays.check(deadLetter, item, { scope, isStrict: true });
    return { is_accepted: state === 'replayed', reason: reason || null };
  }

  @Operation('replay', {
    needs: 'admin',
    summary: 'Ingest dead letters again, at most 100 at a time',
    body: DeadLettersReplayRequest,
    response: DeadLettersReplayResponse,
  })
  replay(
    @Body() body: DeadLettersReplayRequest,
    @Caller() caller: Principal,
  ): Promise<DeadLettersReplayResponse> {
    return this.deadLetters.replay(body, caller);
  }

  @Operation('drop', {
    needs: 'admin',
    summary: 'Mark dead letters as dropped, at most 100 at a time',
    body: DeadLettersDropRequest,
    response: DeadLettersDropResponse,
  })
  drop(
    @Body() body: DeadLettersDropRequest,
    @Caller() caller: Principal,
  ): Promise<DeadLettersDropResponse> {
    return this.deadLetters.drop(body, caller);
  }

  /** Throws not_found for a dead letter outside of the scope, as for an unknown one. */
  private async found(body: DeadLetterReadRequest, caller: Principal): Promise<StoredDeadLetter> {
    const [deadLetter] = await this.reader.byId([body.id], scopeOf(body, caller));
    if (deadLetter !== undefined) return deadLetter;
    throw new ProblemError('not_found', `There is no dead letter ${body.id}.`);
  }
}
