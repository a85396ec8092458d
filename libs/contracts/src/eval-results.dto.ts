import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsObject, IsOptional } from 'class-validator';
import {
  Choice,
  OptionalCount,
  OptionalFlag,
  OptionalId,
  OptionalParts,
  OptionalTexts,
  Text,
} from './fields.js';
import { GenaiSpanRef } from './evaluation.dto.js';

const FIELDS = '`scores.<name>`, `inputs.<path>`, `output.<path>`, `outputs.<path>`, `row_digest`';

export class EvalResultsFilter {
  @OptionalId('Only the trials of this evaluation count.') evaluation_call_id?: string | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: `An expression of the query language over ${FIELDS}.`,
  })
  @IsObject()
  query!: object;
}

export class EvalResultsSort {
  @Text(`The field: ${FIELDS}.`) field!: string;
  @Choice(['asc', 'desc'], 'Rows without a value come last.') direction!: 'asc' | 'desc';
  @OptionalId('Only the trials of this evaluation count.') evaluation_call_id?: string | null;
  @ApiPropertyOptional({
    enum: ['value', 'difference'],
    nullable: true,
    description: 'By the value, or by its spread over the evaluations. Value when absent.',
  })
  @IsOptional()
  @IsIn(['value', 'difference'])
  mode?: 'value' | 'difference' | null;
}

export class EvalResultsRequest {
  @OptionalTexts('The calls of the evaluations.') evaluation_call_ids?: string[] | null;
  @OptionalTexts('The same, under another name.') evaluation_run_ids?: string[] | null;
  @OptionalFlag('Only rows that all evaluations have.') require_intersection?: boolean | null;
  @OptionalFlag('Adds raw_data_row.') include_raw_data_rows?: boolean | null;
  @OptionalFlag('raw_data_row has the row instead of its ref.') resolve_row_refs?: boolean | null;
  @OptionalFlag('False: no rows.') include_rows?: boolean | null;
  @OptionalFlag('Adds summary.') include_summary?: boolean | null;
  @OptionalFlag('require_intersection for the summary, when it differs.')
  summary_require_intersection?: boolean | null;
  @OptionalFlag('False: nothing that needs the calls under a trial.')
  include_predict_and_score_children?: boolean | null;
  @OptionalFlag('False: model_output is null, so that a comparison of scores is small.')
  include_model_outputs?: boolean | null;
  @OptionalFlag('Adds the costs of predictions.') include_costs?: boolean | null;
  @OptionalParts(() => EvalResultsSort, 'By row digest when absent.', 10) sort_by?:
    EvalResultsSort[] | null;
  @OptionalParts(() => EvalResultsFilter, 'Conditions on rows.', 50) filters?:
    EvalResultsFilter[] | null;
  @ApiPropertyOptional({
    enum: ['and', 'or'],
    nullable: true,
    description: 'Rows match the filters of all evaluations, or of any. `or` when absent.',
  })
  @IsOptional()
  @IsIn(['and', 'or'])
  filter_logic_operator?: 'and' | 'or' | null;
  @OptionalCount('Maximum number of rows.') limit?: number | null;
  @OptionalCount('Number of rows to skip.') offset?: number | null;
}

const nullableNumber = { type: 'number', nullable: true } as const;
const nullableText = { type: 'string', nullable: true } as const;
const anyValue = { type: 'object', additionalProperties: true, nullable: true } as const;

class EvalResultsTrial {
  @ApiProperty() predict_and_score_call_id!: string;
  @ApiProperty(nullableText) predict_call_id!: string | null;
  @ApiProperty({ ...anyValue, description: 'Any JSON value.' }) model_output!: unknown;
  @ApiProperty({ type: 'object', additionalProperties: true }) scores!: object;
  @ApiProperty(nullableNumber) model_latency_seconds!: number | null;
  @ApiProperty({ ...nullableNumber, type: 'integer' }) total_tokens!: number | null;
  @ApiProperty(nullableNumber) total_cost!: number | null;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  scorer_call_ids!: object;
  @ApiProperty({ type: [GenaiSpanRef], nullable: true }) genai_span_ref!: GenaiSpanRef[] | null;
}

class EvalResultsRowEvaluation {
  @ApiProperty() evaluation_call_id!: string;
  @ApiProperty({ type: [EvalResultsTrial] }) trials!: EvalResultsTrial[];
}

class EvalResultsRow {
  @ApiProperty() row_digest!: string;
  @ApiProperty({ ...anyValue, description: 'A row, or its ref.' }) raw_data_row!: unknown;
  @ApiProperty({ type: [EvalResultsRowEvaluation] }) evaluations!: EvalResultsRowEvaluation[];
}

class EvalResultsScorerStats {
  @ApiProperty() scorer_key!: string;
  @ApiProperty(nullableText) path!: string | null;
  @ApiProperty({ enum: ['binary', 'continuous', 'text'] }) value_type!: string;
  @ApiProperty({ type: 'integer' }) trial_count!: number;
  @ApiProperty({ type: 'integer' }) numeric_count!: number;
  @ApiProperty(nullableNumber) numeric_mean!: number | null;
  @ApiProperty({ type: 'integer' }) pass_true_count!: number;
  @ApiProperty({ type: 'integer' }) pass_known_count!: number;
  @ApiProperty(nullableNumber) pass_rate!: number | null;
  @ApiProperty(nullableNumber) pass_signal_coverage!: number | null;
}

class EvalResultsEvaluationSummary {
  @ApiProperty() evaluation_call_id!: string;
  @ApiProperty({ type: 'integer' }) trial_count!: number;
  @ApiProperty({ type: [EvalResultsScorerStats] }) scorer_stats!: EvalResultsScorerStats[];
  @ApiProperty({ ...nullableNumber, type: 'integer' }) predict_total_tokens!: number | null;
  @ApiProperty(nullableNumber) predict_total_cost!: number | null;
  @ApiProperty(nullableText) evaluation_ref!: string | null;
  @ApiProperty(nullableText) model_ref!: string | null;
  @ApiProperty(nullableText) display_name!: string | null;
  @ApiProperty(nullableText) trace_id!: string | null;
  @ApiProperty({ ...nullableText, format: 'date-time' }) started_at!: string | null;
}

class EvalResultsSummary {
  @ApiProperty({ type: 'integer' }) row_count!: number;
  @ApiProperty({ type: [EvalResultsEvaluationSummary] })
  evaluations!: EvalResultsEvaluationSummary[];
}

export class EvalResultsResponse {
  @ApiProperty({ type: [EvalResultsRow] }) rows!: EvalResultsRow[];
  @ApiProperty({ type: 'integer' }) total_rows!: number;
  @ApiProperty({ type: EvalResultsSummary, nullable: true }) summary!: EvalResultsSummary | null;
  @ApiProperty({ type: [String] }) warnings!: string[];
}
