import { CostCreateRecord } from '@app/contracts';
import type { PriceKey, PricePurged, PriceSet } from '@app/events';
import { ProblemError } from '@app/http';
import { decimalText, memberSpans, parseTimestamp, roundedDecimal, type Micros } from '@app/wire';
import { recordOf } from '../record-body.js';
import { NO_BODY, type RecordContext } from '../record-facts.js';

const MODELS_MAX = 1000;
const NAME_MAX = 256;
const YEAR_1970 = 0;
const YEAR_2200 = Date.UTC(2200, 0, 1) * 1000;

/** The prices of `{"<llm_id>": {…}}` in a body, one fact per model, in the order they were sent. */
export function priceFacts(
  costs: Buffer,
  context: RecordContext,
  newId: () => string,
  body: Buffer,
): PriceSet[] {
  const members = [...memberSpans(costs)];
  if (members.length > MODELS_MAX) {
    throw bad(`costs has ${members.length} models; at most ${MODELS_MAX}`);
  }
  return members.map(([llmId, { start, end }]) => {
    if (llmId === '' || llmId.length > NAME_MAX) {
      throw bad(`a model's name must have 1 to ${NAME_MAX} characters, not ${llmId.length}`);
    }
    const json = costs.subarray(start, end);
    const record = recordOf(CostCreateRecord, json, [], ['body', 'costs', llmId], body);
    return priceFact(llmId, record, context, newId());
  });
}

function priceFact(
  llmId: string,
  record: CostCreateRecord,
  context: RecordContext,
  id: string,
): PriceSet {
  const cost = (field: CostField) => roundedDecimal(decimalText(record[field] ?? 0));
  const data = {
    id,
    llmId,
    effectiveDate: effectiveDate(llmId, record.effective_date, context),
    providerId: record.provider_id || 'default',
    prompt: cost('prompt_token_cost'),
    completion: cost('completion_token_cost'),
    cacheRead: cost('cache_read_input_token_cost'),
    cacheWrite: cost('cache_creation_input_token_cost'),
    promptUnit: record.prompt_token_cost_unit || 'USD',
    completionUnit: record.completion_token_cost_unit || 'USD',
  };
  return { type: 'PriceSet', ...context, data, body: NO_BODY };
}

type CostField =
  | 'prompt_token_cost'
  | 'completion_token_cost'
  | 'cache_read_input_token_cost'
  | 'cache_creation_input_token_cost';

function effectiveDate(
  llmId: string,
  date: string | null | undefined,
  context: RecordContext,
): Micros {
  if (!date) return context.receivedAt;
  const micros = parseTimestamp(date)!;
  if (micros >= YEAR_1970 && micros < YEAR_2200) return micros;
  throw bad(`costs.${llmId}.effective_date must be between 1970 and 2200, not ${date}`);
}

export const pricePurged = (key: PriceKey, context: RecordContext): PricePurged => ({
  type: 'PricePurged',
  ...context,
  data: key,
  body: NO_BODY,
});

const bad = (why: string) => new ProblemError('invalid_request', `${why}.`);
