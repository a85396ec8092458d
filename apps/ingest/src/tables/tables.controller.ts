import { Body, Controller, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Caller, requireAccess, type Principal } from '@app/auth';
import {
  TableCreateRequest,
  TableCreateResponse,
  TableFromDigestsRequest,
  TableFromDigestsResponse,
  TableUpdateRecord,
  TableUpdateResponse,
} from '@app/contracts';
import { asBuffer, Operation } from '@app/http';
import { Clock } from '../clock.js';
import { readDigestTableOf, readEditOf, readTableOf } from './read-table.js';
import { TableEditor } from './table-editor.js';
import { TablePublisher } from './table-publisher.js';
import type { TableUpdate } from './table-updates.js';

@ApiTags('tables')
@Controller('table')
export class TablesController {
  constructor(
    private readonly tables: TablePublisher,
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
    const table = await readTableOf(body, caller, this.clock.now());
    await this.tables.publish(table);
    return { digest: table.digest, row_digests: [...table.rowDigests] };
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
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const table = await readDigestTableOf(body, caller, this.clock.now());
    await this.tables.publish(table);
    return { digest: table.digest };
  }

  @Operation('update', {
    needs: 'write',
    needsFor: { 'updates other than appends': 'change' },
    summary: 'Create a table from another by appending, inserting and removing rows',
    body: TableUpdateRecord,
    response: TableUpdateResponse,
  })
  async update(@Body() body: Buffer, @Caller() caller: Principal): Promise<TableUpdateResponse> {
    const { context, baseDigest, updates } = await readEditOf(body, caller, this.clock.now());
    // SDKs upload a large table by appending to an empty one. Other updates return digests of rows of the base.
    if (updates.some(({ kind }) => kind !== 'append')) {
      requireAccess(caller, 'change', [context.projectId]);
    }
    const edited = await this.editor.edit(baseDigest, updates.map(withBuffer), context);
    return { digest: edited.digest, updated_row_digests: edited.updatedRows };
  }
}

const withBuffer = (update: TableUpdate): TableUpdate =>
  update.kind === 'pop'
    ? update
    : { ...update, row: { ...update.row, val: asBuffer(update.row.val) } };
