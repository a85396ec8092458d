import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, requireAdmin, type Principal } from '@app/auth';
import { AuditQueryRequest, AuditQueryResponse } from '@app/contracts';
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
}

const timestampOf = (text: string | null | undefined): Millis | undefined =>
  text ? millis(Date.parse(text)) : undefined;
