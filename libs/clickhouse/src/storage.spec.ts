import { changesOf } from './storage.js';

const cold = { policy: 'tiered', coldVolume: 'cold', coldAfterDays: 30 };
const none = { policy: '', coldVolume: 'cold', coldAfterDays: 30 };
const engine = (ttl = '') =>
  `ReplacingMergeTree PARTITION BY toYYYYMM(received_at) ORDER BY id ${ttl}SETTINGS index_granularity = 1024`;
const MOVE = "toDateTime(received_at) + toIntervalDay(30) TO VOLUME 'cold'";
const RECOMPRESS = 'toDateTime(received_at) + toIntervalDay(1) RECOMPRESS CODEC(ZSTD(3))';

const changes = (
  storage_policy: string,
  ttl: string,
  wanted: typeof cold,
  isRecompressed = false,
) =>
  changesOf(
    { storage_policy, engine_full: engine(ttl === '' ? '' : `TTL ${ttl} `) },
    { column: 'received_at', isRecompressed },
    wanted,
  );
const clauses = (...args: Parameters<typeof changes>) => changes(...args).map((one) => one.clause);

describe('the storage of a table', () => {
  it('gets its policy before the TTL that needs it', () => {
    expect(clauses('default', '', cold)).toEqual([
      "MODIFY SETTING storage_policy = 'tiered', materialize_ttl_recalculate_only = 1",
      `MODIFY TTL ${MOVE}`,
    ]);
  });

  it('stays as it is when the settings are the same', () => {
    expect(changes('tiered', MOVE, cold)).toEqual([]);
    expect(changes('default', '', none)).toEqual([]);
    expect(changes('default', RECOMPRESS, none, true)).toEqual([]);
    expect(changes('tiered', `${RECOMPRESS}, ${MOVE}`, cold, true)).toEqual([]);
  });

  it('changes with the settings, also when they are removed', () => {
    expect(clauses('tiered', MOVE, { ...cold, coldAfterDays: 60 })).toEqual([
      "MODIFY TTL toDateTime(received_at) + toIntervalDay(60) TO VOLUME 'cold'",
    ]);
    expect(clauses('tiered', MOVE, { ...cold, coldAfterDays: 0 })).toEqual(['REMOVE TTL']);
    expect(clauses('tiered', MOVE, none)).toEqual(['REMOVE TTL']);
    expect(clauses('tiered', '', none)).toEqual([]);
  });

  it('compresses old parts beside moving them', () => {
    const both = `${RECOMPRESS}, ${MOVE}`;
    expect(clauses('default', '', none, true)).toEqual([`MODIFY TTL ${RECOMPRESS}`]);
    expect(clauses('tiered', both, none, true)).toEqual([`MODIFY TTL ${RECOMPRESS}`]);
    expect(clauses('tiered', RECOMPRESS, cold, true)).toEqual([`MODIFY TTL ${both}`]);
  });

  it('does not rewrite parts that exist, unless they are to be moved', () => {
    const settings = (...args: Parameters<typeof changes>) =>
      changes(...args).map((one) => one.settings);
    expect(settings('default', '', none, true)).toEqual([{ materialize_ttl_after_modify: 0 }]);
    expect(settings('tiered', MOVE, cold, true)).toEqual([{ materialize_ttl_after_modify: 0 }]);
    expect(settings('tiered', RECOMPRESS, cold, true)).toEqual([
      { materialize_ttl_after_modify: 1 },
    ]);
  });
});
