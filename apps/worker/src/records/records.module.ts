import { Module } from '@nestjs/common';
import { RecordLog } from './record-log.reader.js';
import { RecordsWriter } from './records.writer.js';

/** The log and the rows of records. */
@Module({
  providers: [RecordLog, RecordsWriter],
  exports: [RecordLog, RecordsWriter],
})
export class RecordsModule {}
