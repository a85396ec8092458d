import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsOptional, ValidateBy } from 'class-validator';
import type { JsonText } from '@app/wire';
import { Id, OptionalId, OptionalPayloadObject, PayloadObject, Text } from './fields.js';
import { AnyValue } from './object-fields.js';

const RUN = 'The evaluation run that this belongs to.';

/** A run of an evaluation is a call of `Evaluation.evaluate`. */
export class EvaluationRunCreateRecord {
  @Text('The ref of the evaluation.') evaluation!: string;
  @Text('The ref of the model.') model!: string;
  @OptionalId('The run whose predictions this one scores again.') source_evaluation_run_id?:
    string | null;
}

export class EvaluationRunCreateResponse {
  @ApiProperty() evaluation_run_id!: string;
}

export class EvaluationRunFinishRecord {
  @OptionalPayloadObject('The summary of the run.') summary?: JsonText | null;
}

export class FinishResponse {
  @ApiProperty() success!: boolean;
}

export class EvaluationDeleteResponse {
  @ApiProperty({ type: 'integer' }) num_deleted!: number;
}

/** A span of an agent that made a prediction. */
export class GenaiSpanRef {
  @ApiProperty() span_id!: string;
  @ApiProperty() trace_id!: string;
}

const SPANS_MAX = 100;
const isId = (value: unknown) =>
  typeof value === 'string' && value.length > 0 && value.length <= 128;

function isSpanRef(value: unknown): boolean {
  const { span_id, trace_id } = (value ?? {}) as Partial<GenaiSpanRef>;
  return isId(span_id) && isId(trace_id);
}

/** A prediction is a call of `<model>.predict`; in a run it is a child of a call of `Evaluation.predict_and_score`. */
export class PredictionCreateRecord {
  @Text('The ref of the model.') model!: string;
  @PayloadObject('The inputs of the model.') inputs!: JsonText;
  @AnyValue('The output of the model. Any JSON value.') output!: JsonText;
  @OptionalId(RUN) evaluation_run_id?: string | null;
  @ApiPropertyOptional({
    type: [GenaiSpanRef],
    nullable: true,
    maxItems: SPANS_MAX,
    description: 'The spans that made the prediction.',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(SPANS_MAX)
  @ValidateBy(
    {
      name: 'isSpanRef',
      validator: {
        validate: isSpanRef,
        defaultMessage: () => 'each must have the texts trace_id and span_id',
      },
    },
    { each: true },
  )
  genai_span_ref?: GenaiSpanRef[] | null;
}

export class PredictionCreateResponse {
  @ApiProperty() prediction_id!: string;
}

/** A score is a call of `<scorer>.score`, and feedback on its prediction. */
export class ScoreCreateRecord {
  @Id('The prediction.') prediction_id!: string;
  @Text('The ref of the scorer.') scorer!: string;
  @AnyValue('What the scorer returned. Any JSON value.') value!: JsonText;
  @OptionalId(RUN) evaluation_run_id?: string | null;
}

export class ScoreCreateResponse {
  @ApiProperty() score_id!: string;
}

const nullableText = { type: 'string', nullable: true } as const;

export class EvaluationRunSchema {
  @ApiProperty() evaluation_run_id!: string;
  @ApiProperty({ description: 'The ref of the evaluation.' }) evaluation!: string;
  @ApiProperty({ description: 'The ref of the model.' }) model!: string;
  @ApiProperty({ enum: ['running', 'completed', 'failed'] }) status!: string;
  @ApiProperty({ format: 'date-time' }) started_at!: string;
  @ApiProperty({ ...nullableText, format: 'date-time' }) finished_at!: string | null;
  @ApiProperty({ type: 'object', additionalProperties: true }) summary!: object;
  @ApiProperty(nullableText) source_evaluation_run_id!: string | null;
}

export class PredictionSchema {
  @ApiProperty() prediction_id!: string;
  @ApiProperty({ description: 'The ref of the model.' }) model!: string;
  @ApiProperty({ type: 'object', additionalProperties: true }) inputs!: object;
  @ApiProperty({ description: 'Any JSON value.', type: 'object', additionalProperties: true })
  output!: unknown;
  @ApiProperty(nullableText) evaluation_run_id!: string | null;
  @ApiProperty(nullableText) wb_user_id!: string | null;
}

export class ScoreSchema {
  @ApiProperty() score_id!: string;
  @ApiProperty({ description: 'The ref of the scorer.' }) scorer!: string;
  @ApiProperty({ description: 'Any JSON value.', type: 'object', additionalProperties: true })
  value!: unknown;
  @ApiProperty(nullableText) evaluation_run_id!: string | null;
  @ApiProperty(nullableText) wb_user_id!: string | null;
}
