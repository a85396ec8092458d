import type { PriceRow } from '@app/clickhouse';
import type { Ordered, PricePurged, PriceSet } from '@app/events';

export function priceRow(fact: Ordered<PriceSet>): PriceRow {
  const { data } = fact;
  return {
    ...keyOf(fact),
    provider_id: data.providerId,
    prompt_cost: data.prompt,
    completion_cost: data.completion,
    cache_read_cost: data.cacheRead,
    cache_write_cost: data.cacheWrite,
    prompt_unit: data.promptUnit,
    completion_unit: data.completionUnit,
    is_deleted: 0,
  };
}

export function purgedPriceRow(fact: Ordered<PricePurged>): PriceRow {
  return {
    ...keyOf(fact),
    provider_id: '',
    prompt_cost: '0',
    completion_cost: '0',
    cache_read_cost: '0',
    cache_write_cost: '0',
    prompt_unit: '',
    completion_unit: '',
    is_deleted: 1,
  };
}

function keyOf({ projectId, userId, receivedAt, seq, data }: Ordered<PriceSet | PricePurged>) {
  return {
    level: 'project' as const,
    level_id: projectId,
    llm_id: data.llmId,
    effective_date: data.effectiveDate,
    id: data.id,
    created_by: userId,
    source: '',
    created_at: receivedAt,
    version: seq,
  };
}
