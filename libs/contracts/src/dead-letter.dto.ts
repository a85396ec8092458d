import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsOptional,
  Matches,
  MaxLength,
} from 'class-validator';
import {
  AnyText,
  Count,
  OptionalCount,
  OptionalInteger,
  OptionalParts,
  OptionalText,
  OptionalTimestamp,
  Text,
} from './fields.js';

const DEAD_LETTER_STATES = ['open', 'replayed', 'dropped'] as const;
export type DeadLetterState = (typeof DEAD_LETTER_STATES)[number];

/** Most dead letters that one request replays or drops. */
export const DEAD_LETTERS_PER_REQUEST = 100;
const LISTED_MAX = 1000;
const EDITS_MAX = 100;
const FIND_MAX = 1000;

const ID = /^[0-9a-f]{32}$/;
const NOT_AN_ID = 'must be the id of a dead letter: 32 hexadecimal digits';

const DeadLetterId = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({
      type: 'string',
      pattern: ID.source,
      description: 'Id of a dead letter, as `query` returns it.',
    }),
    Matches(ID, { message: NOT_AN_ID }),
  );

const OptionalIds = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'array',
      items: { type: 'string', pattern: ID.source },
      nullable: true,
      minItems: 1,
      maxItems: DEAD_LETTERS_PER_REQUEST,
      description: 'Only these, whatever their state.',
    }),
    IsOptional(),
    IsArray(),
    ArrayMinSize(1),
    ArrayMaxSize(DEAD_LETTERS_PER_REQUEST),
    Matches(ID, { each: true, message: NOT_AN_ID }),
  );

const OptionalState = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'string',
      enum: [...DEAD_LETTER_STATES],
      nullable: true,
      description: '`open` when absent.',
    }),
    IsOptional(),
    IsIn(DEAD_LETTER_STATES, { message: `must be one of ${DEAD_LETTER_STATES.join(', ')}` }),
  );

const Cursor = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'string',
      nullable: true,
      description: 'Continues after a response with this `next`.',
    }),
    IsOptional(),
    Matches(/^\d{1,16}:[0-9a-f]{32}$/, { message: 'must be `next` of a response' }),
  );

class DeadLetterScope {
  @OptionalText('A project, an entity or `*`. When absent: the scope of the key.')
  scope?: string | null;
}

class DeadLettersFilter extends DeadLetterScope {
  @OptionalState() state?: DeadLetterState | null;
  @OptionalText('Only dead letters of this kind.') kind?: string | null;
  @OptionalText('Only those with this text in the reason, in upper or lower case.')
  reason?: string | null;
  @OptionalText('Only those of this group of reasons, as `query` returns it.')
  reason_group?: string | null;
  @OptionalTimestamp('Only those that were received before this time.')
  received_before?: string | null;
  @Cursor() after?: string | null;
}

export class DeadLettersQueryRequest extends DeadLettersFilter {
  @OptionalInteger(0, LISTED_MAX, 'Most dead letters to return, oldest first; 100 when absent.')
  limit?: number | null;
}

export class DeadLetterRecord {
  @ApiProperty() id!: string;
  @ApiProperty({ description: 'Empty when the item names no valid project.' }) project_id!: string;
  @ApiProperty({ description: 'Empty when the item has no call id.' }) call_id!: string;
  @ApiProperty({ description: '`rejected` by ingest; every other kind was refused by the store.' })
  kind!: string;
  @ApiProperty() reason!: string;
  @ApiProperty({ description: 'The user who sent it.' }) user!: string;
  @ApiProperty({ format: 'date-time' }) received_at!: string;
  @ApiProperty({ enum: [...DEAD_LETTER_STATES] }) state!: DeadLetterState;
  @ApiProperty({ type: 'integer', description: 'Size of the item.' }) bytes!: number;
}

export class DeadLetterReason {
  @ApiProperty() kind!: string;
  @ApiProperty({ description: 'The reason with `N` for every number, at most 120 characters.' })
  reason_group!: string;
  @ApiProperty({ type: 'integer' }) count!: number;
  @ApiProperty({ type: 'integer' }) bytes!: number;
}

export class DeadLettersQueryResponse {
  @ApiProperty({ type: [DeadLetterReason], description: 'The 50 most frequent.' })
  reasons!: DeadLetterReason[];
  @ApiProperty({ type: [DeadLetterRecord] }) dead_letters!: DeadLetterRecord[];
  @ApiProperty({ type: String, nullable: true, description: 'Null at the end.' })
  next!: string | null;
}

export class DeadLetterReadRequest extends DeadLetterScope {
  @DeadLetterId() id!: string;
}

export class DeadLetterPartRequest extends DeadLetterReadRequest {
  @OptionalCount('The byte where the part begins; 0 when absent.') offset?: number | null;
}

export class DeadLetterReadResponse extends DeadLetterRecord {
  @ApiProperty({ description: 'At most 200,003 bytes of the item as it was sent, from `offset`.' })
  item!: string;
  @ApiProperty({
    type: 'integer',
    description:
      'The byte where `item` begins: the requested one, or the next that begins a character.',
  })
  offset!: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The byte after `item`, where the next part begins; null at the end.',
  })
  next_offset!: number | null;
  @ApiProperty({ description: 'Whether `item` is all of it; `content` returns all bytes.' })
  is_whole!: boolean;
}

export class DeadLetterFindRequest extends DeadLetterPartRequest {
  @Text('The text to find, exactly as it is in the item; at most 1,000 characters.')
  @MaxLength(FIND_MAX)
  text!: string;
}

export class DeadLetterFindResponse {
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The byte where the text begins, at or after the requested one; null without it.',
  })
  offset!: number | null;
}

/** Bytes of an item that other text replaces. An item of many megabytes is corrected without sending all of it. */
export class DeadLetterEdit {
  @Count('The first byte to replace, of the item as it was sent.') offset!: number;
  @Count('The number of bytes to replace; 0 inserts.') length!: number;
  @AnyText('What replaces them.') text!: string;
}

const OptionalEdits = (): PropertyDecorator =>
  OptionalParts(
    () => DeadLetterEdit,
    'Corrections of the item as it was sent, in ascending order and apart from each other. Not together with `item`.',
    EDITS_MAX,
  );

export class DeadLetterCheckRequest extends DeadLetterReadRequest {
  @OptionalText('JSON text of a corrected item; the item as it was sent when absent.')
  item?: string | null;
  @OptionalEdits() edits?: DeadLetterEdit[] | null;
}

const REPLAY_OUTCOMES = ['replayed', 'rejected', 'refused'] as const;

export class DeadLetterCheckResponse {
  @ApiProperty({ description: 'Whether ingest would accept it now.' }) is_accepted!: boolean;
  @ApiProperty({ type: String, nullable: true, description: 'Why not; null when accepted.' })
  reason!: string | null;
}

export class DeadLettersReplayRequest extends DeadLettersFilter {
  @OptionalIds() ids?: string[] | null;
  @OptionalText('JSON text of a corrected item, for one id.') item?: string | null;
  @OptionalEdits() edits?: DeadLetterEdit[] | null;
}

export class DeadLetterOutcome {
  @ApiProperty() id!: string;
  @ApiProperty({
    enum: [...REPLAY_OUTCOMES],
    description:
      '`replayed`; `rejected`: ingest would not accept it; `refused`: it cannot be replayed. The last two stay open.',
  })
  outcome!: (typeof REPLAY_OUTCOMES)[number];
  @ApiProperty({ type: String, nullable: true, description: 'Null when replayed.' })
  reason!: string | null;
}

export class DeadLettersReplayResponse {
  @ApiProperty({ type: [DeadLetterOutcome] }) outcomes!: DeadLetterOutcome[];
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'More dead letters match: send the request again with it as `after`.',
  })
  next!: string | null;
}

export class DeadLettersDropRequest extends DeadLettersFilter {
  @OptionalIds() ids?: string[] | null;
}

export class DeadLettersDropResponse {
  @ApiProperty({ type: [String] }) dropped!: string[];
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'More dead letters match: send the request again with it as `after`.',
  })
  next!: string | null;
}
