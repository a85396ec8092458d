import { changesOf } from './storage.js';

const cold = { policy: 'tiered', coldVolume: 'cold', coldAfterDays: 30 };
const none = { policy: '', coldVolume: 'cold', coldAfterDays: 30 };
const engine = (ttl = '') =>
  `ReplacingMergeTree PARTITION BY toYYYYMM(received_at) ORDER BY id ${ttl}SETTINGS index_granularity = 1024`;
const TTL = "TTL toDateTime(received_at) + toIntervalDay(30) TO VOLUME 'cold' ";

const changes = (storage_policy: string, ttl: string, wanted: typeof cold) =>
  changesOf({ storage_policy, engine_full: engine(ttl) }, 'received_at', wanted);

describe('the storage of a table', () => {
  it('gets its policy before the TTL that needs it', () => {
    expect(changes('default', '', cold)).toEqual([
      "MODIFY SETTING storage_policy = 'tiered', materialize_ttl_recalculate_only = 1",
      `MODIFY ${TTL.trim()}`,
    ]);
  });

  it('stays as it is when the settings are the same', () => {
    expect(changes('tiered', TTL, cold)).toEqual([]);
    expect(changes('default', '', none)).toEqual([]);
  });

  it('changes with the settings, also when they are removed', () => {
    expect(changes('tiered', TTL, { ...cold, coldAfterDays: 60 })).toEqual([
      "MODIFY TTL toDateTime(received_at) + toIntervalDay(60) TO VOLUME 'cold'",
    ]);
    expect(changes('tiered', TTL, { ...cold, coldAfterDays: 0 })).toEqual(['REMOVE TTL']);
    expect(changes('tiered', TTL, none)).toEqual(['REMOVE TTL']);
    expect(changes('tiered', '', none)).toEqual([]);
  });
});
