import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, EVERYTHING, requireAdmin, type Principal } from '@app/auth';
import {
  HealthResponse,
  LedgerRequest,
  LedgerResponse,
  RetentionPreviewRequest,
  RetentionPreviewResponse,
} from '@app/contracts';
import { Operation } from '@app/http';
import { LedgerReader } from './ledger.reader.js';
import { RetentionPreviewReader } from './retention-preview.reader.js';
import { ServerHealthReader } from './server-health.reader.js';

/** What an admin needs to run the server, within the scope of the key. */
@ApiTags('admin')
@Controller('admin')
export class OperationsController {
  constructor(
    private readonly health: ServerHealthReader,
    private readonly ledger: LedgerReader,
    private readonly retention: RetentionPreviewReader,
  ) {}

  @Operation('health', {
    method: 'GET',
    needs: 'admin',
    isOwnScope: true,
    summary: 'Queue, workers, disks and maintenance of the server',
    response: HealthResponse,
  })
  async readHealth(@Caller() caller: Principal): Promise<HealthResponse> {
    return { server: caller.scope === EVERYTHING ? await this.health.read() : null };
  }

  @Operation('ledger', {
    needs: 'admin',
    summary: 'Whether every accepted fact is accounted for, and the projects where not',
    body: LedgerRequest,
    response: LedgerResponse,
  })
  readLedger(
    @Body() { scope }: LedgerRequest,
    @Caller() caller: Principal,
  ): Promise<LedgerResponse> {
    return this.ledger.read(administered(scope, caller));
  }

  @Operation('retention/preview', {
    needs: 'admin',
    summary: 'How many calls and how much feedback the next expiry would delete',
    body: RetentionPreviewRequest,
    response: RetentionPreviewResponse,
  })
  previewRetention(
    @Body() { scope, after }: RetentionPreviewRequest,
    @Caller() caller: Principal,
  ): Promise<RetentionPreviewResponse> {
    return this.retention.read(administered(scope, caller), after ?? undefined);
  }
}

/** The requested scope, or that of the key. Throws unless the caller administers it. */
function administered(scope: string | null | undefined, caller: Principal): string {
  const requested = scope ?? caller.scope;
  requireAdmin(caller, requested);
  return requested;
}
