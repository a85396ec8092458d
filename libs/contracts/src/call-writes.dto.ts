import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsArray, IsIn, IsObject, ValidateNested } from 'class-validator';
import { CallCompleteRecord, CallEndRecord, CallStartRecord } from './call-records.dto.js';
import { Id, Ids, OptionalText, ProjectId } from './fields.js';

/*
 * Envelopes of call records. `call-bodies.ts` in ingest reads them from the body without parsing it, and a property test
 * compares that reader with these classes. The records inside have their own DTOs.
 */

export class CallStartRequest {
  @IsObject() @ApiProperty({ type: CallStartRecord }) start!: CallStartRecord;
}

export class CallStartResponse {
  @ApiProperty() id!: string;
  @ApiProperty() trace_id!: string;
}

export class CallEndRequest {
  @IsObject() @ApiProperty({ type: CallEndRecord }) end!: CallEndRecord;
}

export class EmptyResponse {}

export class CallBatchStartMode {
  @IsIn(['start']) @ApiProperty({ enum: ['start'] }) mode!: 'start';
  @IsObject()
  @ValidateNested()
  @Type(() => CallStartRequest)
  @ApiProperty({ type: CallStartRequest })
  req!: CallStartRequest;
}

export class CallBatchEndMode {
  @IsIn(['end']) @ApiProperty({ enum: ['end'] }) mode!: 'end';
  @IsObject()
  @ValidateNested()
  @Type(() => CallEndRequest)
  @ApiProperty({ type: CallEndRequest })
  req!: CallEndRequest;
}

@ApiExtraModels(CallBatchStartMode, CallBatchEndMode)
export class CallUpsertBatchRequest {
  @IsArray()
  @ApiProperty({
    type: 'array',
    items: {
      oneOf: [
        { $ref: getSchemaPath(CallBatchStartMode) },
        { $ref: getSchemaPath(CallBatchEndMode) },
      ],
    },
  })
  batch!: (CallBatchStartMode | CallBatchEndMode)[];
}

@ApiExtraModels(CallStartResponse, EmptyResponse)
export class CallUpsertBatchResponse {
  @ApiProperty({
    type: 'array',
    description: 'One response per item, in order.',
    items: {
      oneOf: [{ $ref: getSchemaPath(CallStartResponse) }, { $ref: getSchemaPath(EmptyResponse) }],
    },
  })
  res!: (CallStartResponse | EmptyResponse)[];
}

export class CallsCompleteRequest {
  @IsArray() @ApiProperty({ type: [CallCompleteRecord] }) batch!: CallCompleteRecord[];
}

export class CallUpdateRequest {
  @ProjectId() project_id!: string;
  @Id('The call to rename; it may arrive later.') call_id!: string;
  @OptionalText('The new name. Empty removes the name; absent is refused.')
  display_name?: string | null;
}

export class CallsDeleteRequest {
  @ProjectId() project_id!: string;
  @Ids('The calls to delete, each with all its descendants.') call_ids!: string[];
}

export class CallsDeleteResponse {
  @ApiProperty({ type: 'integer', description: 'Calls deleted, descendants included.' })
  num_deleted!: number;
}
