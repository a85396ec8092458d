import { creationOn } from './complete-nodes.js';

const table = {
  name: 'prices_local',
  uuid: '11111111-2222-3333-4444-555555555555',
  statement: 'CREATE TABLE traces.prices_local (`a` String) ENGINE = MergeTree ORDER BY a',
};
const cluster = { kind: 'cluster', name: 'heddle', replicated: false } as const;

describe('the table of a new node', () => {
  it('is created as the other nodes have it', () => {
    expect(creationOn(cluster, table)).toBe(
      "CREATE TABLE IF NOT EXISTS traces.prices_local ON CLUSTER 'heddle' (`a` String) ENGINE = MergeTree ORDER BY a",
    );
  });

  it('has the id of its replicas, by which they find each other', () => {
    expect(creationOn({ ...cluster, replicated: true }, table)).toMatch(
      /^CREATE TABLE IF NOT EXISTS traces\.prices_local UUID '11111111-.*' ON CLUSTER 'heddle' \(/,
    );
  });
});
