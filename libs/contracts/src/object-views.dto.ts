import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { JsonText } from '@app/wire';
import {
  OptionalInteger,
  OptionalPayloadObject,
  OptionalText,
  OptionalTexts,
  Text,
} from './fields.js';
import { AnyValue } from './object-fields.js';

const NAME =
  'The versions of an object have one name. Its id is the name in lower case without spaces.';

/** An op is published with the file of its code. */
export class OpCreateRecord {
  @OptionalText(`${NAME} \`Op\` when absent.`) name?: string | null;
  @OptionalText('The code of the op with its imports; a placeholder when absent.') source_code?:
    string | null;
}

export class DatasetCreateRecord {
  @OptionalText(`${NAME} \`Dataset\` when absent.`) name?: string | null;
  @OptionalText('What the dataset contains.') description?: string | null;
  @AnyValue('A list of JSON objects, stored as the exact text that was sent.') rows!: JsonText;
}

export class ScorerCreateRecord {
  @Text(NAME) name!: string;
  @OptionalText('What the scorer rates.') description?: string | null;
  @Text('The code of the op that scores, with its imports.') op_source_code!: string;
}

export class EvaluationCreateRecord {
  @Text(NAME) name!: string;
  @OptionalText('What the evaluation measures.') description?: string | null;
  @Text('The ref of the dataset.') dataset!: string;
  @OptionalTexts('The refs of the scorers.') scorers?: string[] | null;
  @OptionalInteger(1, 1_000_000, 'How often each row is predicted; 1 when absent.') trials?:
    number | null;
  @OptionalText('The display name of its runs.') evaluation_name?: string | null;
  @OptionalPayloadObject('More members of the value.') eval_attributes?: JsonText | null;
}

export class ModelCreateRecord {
  @Text(NAME) name!: string;
  @OptionalText('What the model does.') description?: string | null;
  @Text('The code of the class with its imports.') source_code!: string;
  @OptionalPayloadObject('More members of the value.') attributes?: JsonText | null;
}

export class VersionCreateResponse {
  @ApiProperty() digest!: string;
  @ApiProperty() object_id!: string;
  @ApiProperty({ type: 'integer' }) version_index!: number;
}

export class ScorerCreateResponse extends VersionCreateResponse {
  @ApiProperty({ description: 'The ref of the version.' }) scorer!: string;
}

export class EvaluationCreateResponse extends VersionCreateResponse {
  @ApiProperty({ description: 'The ref of the version.' }) evaluation_ref!: string;
}

export class ModelCreateResponse extends VersionCreateResponse {
  @ApiProperty({ description: 'The ref of the version.' }) model_ref!: string;
}

export class VersionsDeleteResponse {
  @ApiProperty({ type: 'integer' }) num_deleted!: number;
}

const nullableText = { type: 'string', nullable: true } as const;

class VersionSchema extends VersionCreateResponse {
  @ApiProperty({ format: 'date-time' }) created_at!: string;
}

class NamedVersionSchema extends VersionSchema {
  @ApiProperty() name!: string;
  @ApiProperty(nullableText) description!: string | null;
}

export class OpSchema extends VersionSchema {
  @ApiProperty({ description: 'Empty when there is no file, or when it is larger than 1 MiB.' })
  code!: string;
}

export class DatasetSchema extends NamedVersionSchema {
  @ApiProperty({ description: 'The ref of the table with the rows.' }) rows!: string;
}

export class ScorerSchema extends NamedVersionSchema {
  @ApiProperty({ description: 'The ref of the op that scores.' }) score_op!: string;
}

export class EvaluationSchema extends NamedVersionSchema {
  @ApiProperty({ description: 'The ref of the dataset.' }) dataset!: string;
  @ApiProperty({ type: [String], description: 'The refs of the scorers.' }) scorers!: string[];
  @ApiProperty({ type: 'integer' }) trials!: number;
  @ApiProperty(nullableText) evaluation_name!: string | null;
  @ApiProperty(nullableText) evaluate_op!: string | null;
  @ApiProperty(nullableText) predict_and_score_op!: string | null;
  @ApiProperty(nullableText) summarize_op!: string | null;
}

export class ModelSchema extends NamedVersionSchema {
  @ApiProperty({
    description: 'Empty when the model has no file, or when it is larger than 1 MiB.',
  })
  source_code!: string;
  @ApiPropertyOptional({ type: 'object', additionalProperties: true, nullable: true })
  attributes!: Record<string, unknown> | null;
}
