import { Injectable } from '@nestjs/common';
import type { CallsQueryRequest } from '@app/contracts';
import { FILE_FORMATS, FILE_SETTINGS, type FileFormat } from '../output-format.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { exportedCalls, exportedColumns, fieldColumns } from './call-export.sql.js';
import { CallFieldsReader } from './call-fields.reader.js';
import { CallsPlanner } from './calls-planner.js';

/** Writes calls as a file, with the filter, query, order and columns of the other reads. */
@Injectable()
export class CallsExportReader {
  constructor(
    private readonly executor: QueryExecutor,
    private readonly planner: CallsPlanner,
    private readonly fields: CallFieldsReader,
  ) {}

  async *file(
    request: CallsQueryRequest,
    format: FileFormat,
    context: ReadContext,
  ): AsyncGenerator<Buffer, void> {
    const names = exportedColumns(request);
    const query = await this.planner.plan(request, context);
    const sort_by = fieldColumns(names).map((field) => ({ field }));
    const fields = await this.fields.fieldsOf({ ...request, sort_by }, context);
    const calls = exportedCalls(query, names, fields);
    yield* this.executor.printed(calls, FILE_FORMATS[format].name, FILE_SETTINGS, context);
  }
}
