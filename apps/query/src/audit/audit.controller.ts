import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, EVERYTHING, requireAdmin, type Principal } from '@app/auth';
import type { ChainHead } from '@app/clickhouse';
import {
  AuditQueryRequest,
  AuditQueryResponse,
  AuditVerifyRequest,
  AuditVerifyResponse,
} from '@app/contracts';
import { Operation } from '@app/http';
import { millis, type Millis } from '@app/wire';
import { AuditReader } from './audit.reader.js';

const LIMIT = 100;
const LIMIT_MAX = 10_000;

@ApiTags('admin')
@Controller('admin/audit')
export class AuditController {
  constructor(private readonly audit: AuditReader) {}

  @Operation('query', {
    needs: 'admin',
    summary: 'Who did what: deletions, keys, retention, prices, and what operators did',
    body: AuditQueryRequest,
    response: AuditQueryResponse,
  })
  async query(
    @Body() { scope, user, action, from, before, limit }: AuditQueryRequest,
    @Caller() caller: Principal,
  ): Promise<AuditQueryResponse> {
    const requested = scope ?? caller.scope;
    requireAdmin(caller, requested);
    const entries = await this.audit.newest(
      {
        scope: requested,
        userId: user ?? undefined,
        action: action ?? undefined,
        from: timestampOf(from),
        before: timestampOf(before),
      },
      Math.min(limit ?? LIMIT, LIMIT_MAX),
    );
    return { entries };
  }

  @Operation('verify', {
    needs: 'admin',
    isOwnScope: true,
    summary: 'Check that no entry of the audit log was changed, removed or moved',
    body: AuditVerifyRequest,
    response: AuditVerifyResponse,
  })
  async verify(
    @Body() { expect, after }: AuditVerifyRequest,
    @Caller() caller: Principal,
  ): Promise<AuditVerifyResponse> {
    const verified = await this.audit.verify(headIn(expect), headIn(after));
    return caller.scope === EVERYTHING ? verified : { ...verified, ...HIDDEN };
  }
}

/** The log is one for the whole server. Admins of a part of it learn whether it is unchanged, and nothing about others. */
const HIDDEN = { entries: null, end: null, faults: [] };

/** `<number>:<hash>`, as the DTO has checked. */
function headIn(text: string | null | undefined): ChainHead | undefined {
  const [seq, hash] = text?.split(':') ?? [];
  return seq === undefined || hash === undefined ? undefined : { seq: Number(seq), hash };
}

const timestampOf = (text: string | null | undefined): Millis | undefined =>
  text ? millis(Date.parse(text)) : undefined;
