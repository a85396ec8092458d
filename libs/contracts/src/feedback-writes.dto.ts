import { ApiProperty } from '@nestjs/swagger';
import type { JsonText } from '@app/wire';
import {
  Id,
  OptionalId,
  OptionalText,
  OptionalTexts,
  PayloadObject,
  ProjectId,
  QueryObject,
  Text,
} from './fields.js';
import { OptionalNumberMap, OptionalTextMap } from './map-fields.js';

/** Feedback on whatever a ref names, which need not be there yet. */
export class FeedbackCreateRecord {
  @ProjectId() project_id!: string;
  @OptionalText('The ref of what the feedback is about. Required, by this name or as item_ref.')
  weave_ref?: string | null;
  @OptionalText('Another name of weave_ref.') item_ref?: string | null;
  @Text('`wandb.reaction.1`, `wandb.note.1`, `wandb.annotation.<name>`, or any other.')
  feedback_type!: string;
  @PayloadObject('What is said; kept as the text it was sent as.') payload!: JsonText;
  @OptionalId('Its id; given by the server when absent. Sent again it is the same record.') id?:
    string | null;
  @OptionalText('Who gave it, in words of the client.') creator?: string | null;
  @OptionalText('The annotation spec, for annotations.') annotation_ref?: string | null;
  @OptionalText('The op or object that made it.') runnable_ref?: string | null;
  @OptionalText('The call that made it.') call_ref?: string | null;
  @OptionalText('What set it off.') trigger_ref?: string | null;
  @OptionalText('The annotation queue it was given in.') queue_id?: string | null;
  @OptionalTexts('Tags of a scorer.') scorer_tags?: string[] | null;
  @OptionalTextMap('Why, by tag.') scorer_tag_reasons?: Record<string, string> | null;
  @OptionalNumberMap('How sure, by tag.') scorer_tag_confidences?: Record<string, number> | null;
  @OptionalNumberMap('Ratings of a scorer, by name.') scorer_ratings?: Record<
    string,
    number
  > | null;
  @OptionalTextMap('Why, by rating.') scorer_rating_reasons?: Record<string, string> | null;
  @OptionalNumberMap('How sure, by rating.') scorer_rating_confidences?: Record<
    string,
    number
  > | null;
  @OptionalText('Of the span it is about.') span_agent_name?: string | null;
  @OptionalText('Of the span it is about.') span_agent_version?: string | null;
  @OptionalText('Of the span it is about; UNSET when absent.') span_status_code?: string | null;
  @OptionalText('Of the span it is about.') span_conversation_id?: string | null;
  @OptionalText('Of the span it is about.') span_trace_id?: string | null;
  @OptionalText('The trace of the scorer.') scorer_trace_id?: string | null;
  @OptionalText('Ignored: the server knows whose key it is.') wb_user_id?: string | null;
}

export class FeedbackReplaceRecord extends FeedbackCreateRecord {
  @Id('The record to replace. One that is not there is created.') feedback_id!: string;
}

export class FeedbackBatchRequest {
  @ApiProperty({ type: [FeedbackCreateRecord] }) batch!: FeedbackCreateRecord[];
}

export class FeedbackResponse {
  @ApiProperty() id!: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty() wb_user_id!: string;
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'Completed.' })
  payload!: object;
}

export class FeedbackBatchResponse {
  @ApiProperty({ type: [FeedbackResponse] }) res!: FeedbackResponse[];
}

/** Which records to remove: `$eq` on `id`, `$in` on `id`, or `$or` of such. */
export class PurgeRequest {
  @ProjectId() project_id!: string;
  @QueryObject('`$eq` on `id`, `$in` on `id`, or `$or` of such.') query!: object;
}
