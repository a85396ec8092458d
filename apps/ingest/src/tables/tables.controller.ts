import { Body, Controller, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Caller, requireAccess, type Principal } from '@app/auth';
import {
  TableCreateRecord,
  TableCreateRequest,
  TableCreateResponse,
  TableFromDigestsRequest,
  TableFromDigestsResponse,
  TableUpdateRecord,
  TableUpdateResponse,
} from '@app/contracts';
import { tableDigest } from '@app/digests';
import type { TableRow } from '@app/events';
import { Operation, ProblemError, requireJsonBody } from '@app/http';
import { Clock } from '../clock.js';
import { PartsPublisher } from '../parts.publisher.js';
import { memberObject, recordOf } from '../record-body.js';
import { authorizedContext, requireDigest, type RecordContext } from '../record-facts.js';
import { TableEditor } from './table-editor.js';
import { rowsIn, tableParts } from './table-facts.js';
import { updatesIn } from './table-updates.js';
import { TablesReader } from './tables.reader.js';

/** A list of digests may have more values than other bodies: it is flat. */
const DIGESTS_MAX = 2_000_000;

@ApiTags('tables')
@Controller('table')
export class TablesController {
  constructor(
    private readonly parts: PartsPublisher,
    private readonly tables: TablesReader,
    private readonly editor: TableEditor,
    private readonly clock: Clock,
  ) {}

  @Operation('create', {
    needs: 'write',
    summary: 'Create a table from its rows',
    body: TableCreateRequest,
    response: TableCreateResponse,
  })
  async create(@Body() body: Buffer, @Caller() caller: Principal): Promise<TableCreateResponse> {
    const json = memberObject(body, 'table');
    const record = recordOf(TableCreateRecord, json, ['rows'], ['body', 'table']);
    const context = this.context(caller, record.project_id);
    const rows = rowsIn(record.rows.bytes);
    const row_digests = rows.map(({ digest }) => digest);
    const digest = tableDigest(row_digests);
    requireDigest(digest, record.expected_digest, 'the table');
    await this.publish(context, digest, row_digests, rows);
    return { digest, row_digests };
  }

  @Operation('create_from_digests', {
    needs: 'write',
    summary: 'Create a table from rows uploaded before',
    body: TableFromDigestsRequest,
    response: TableFromDigestsResponse,
  })
  async createFromDigests(
    @Req() request: FastifyRequest,
    @Caller() caller: Principal,
  ): Promise<TableFromDigestsResponse> {
    requireJsonBody(request.body, { maxParts: DIGESTS_MAX });
    const record = recordOf(TableFromDigestsRequest, request.body);
    const context = this.context(caller, record.project_id);
    const { row_digests } = record;
    const invalid = row_digests.findIndex((one) => !/^[^\s]{1,128}$/.test(one));
    if (invalid !== -1) {
      throw new ProblemError('invalid_request', `row_digests[${invalid}] is not a digest.`);
    }
    const digest = tableDigest(row_digests);
    requireDigest(digest, record.expected_digest, 'the table');
    await this.publish(context, digest, row_digests, []);
    return { digest };
  }

  @Operation('update', {
    needs: 'write',
    needsFor: { 'updates other than appends': 'change' },
    summary: 'Create a table from another by appending, inserting and removing rows',
    body: TableUpdateRecord,
    response: TableUpdateResponse,
  })
  async update(@Body() body: Buffer, @Caller() caller: Principal): Promise<TableUpdateResponse> {
    const record = recordOf(TableUpdateRecord, body, ['updates']);
    const context = this.context(caller, record.project_id);
    const updates = updatesIn(record.updates.bytes);
    // SDKs upload a large table by appending to an empty one. Other updates return digests of rows of the base.
    if (updates.some(({ kind }) => kind !== 'append')) {
      requireAccess(caller, 'change', [record.project_id]);
    }
    const { digest, updatedRows } = await this.editor.edit(record.base_digest, updates, context);
    return { digest, updated_row_digests: updatedRows };
  }

  /** A table that is already stored is not written again. */
  private async publish(
    context: RecordContext,
    digest: string,
    rowDigests: readonly string[],
    rows: readonly TableRow[],
  ): Promise<void> {
    if (await this.tables.isStored(context.projectId, digest)) return;
    for (const parts of tableParts(digest, rowDigests, rows, context)) {
      await this.parts.publish(parts);
    }
  }

  private context(caller: Principal, projectId: string): RecordContext {
    return authorizedContext(caller, 'write', projectId, this.clock);
  }
}
