import type { FeedbackGiven, Ordered } from '@app/events';
import { microsOf, millis } from '@app/wire';
import { givenRow, purgedRow } from './feedback.projection.js';

const seqAt = (date: string) => Date.parse(date) * 1000;

function given(date: string, addsOnly: boolean): Ordered<FeedbackGiven> {
  const receivedAt = microsOf(millis(Date.parse(date)));
  const data = { id: 'f', ...(addsOnly && { addsOnly }) } as FeedbackGiven['data'];
  return {
    ...{ type: 'FeedbackGiven', projectId: 'acme/demo', userId: 'ann', receivedAt, data },
    ...{ body: Buffer.from('{}'), seq: seqAt(date), versionIndex: 0, chunkId: 'c', index: 0 },
  };
}

/** Of rows with one id ClickHouse keeps the one with the greatest version. */
const version = (date: string, addsOnly: boolean) =>
  Number(givenRow(given(date, addsOnly)).version);

describe('feedback of a key that only adds', () => {
  it.each(['2023-12-01', '2026-11-16', '2070-01-01'])(
    'never replaces other feedback, in %s',
    (date) => {
      const oldest = version('2023-12-01', false);
      const { data, ...fact } = given('2023-12-01', false);
      const purged = purgedRow({ ...fact, type: 'FeedbackPurged', data: { id: data.id } });

      expect(version(date, true)).toBeLessThan(oldest);
      expect(version(date, true)).toBeLessThan(Number(purged.version));
      expect(version(date, true)).toBeGreaterThan(0);
    },
  );

  it('stays when another such key sends its id later', () => {
    expect(version('2026-11-16T00:00:00.000Z', true)).toBeGreaterThan(
      version('2026-11-16T00:00:00.001Z', true),
    );
  });

  it('is replaced by a key that may change it', () => {
    expect(version('2026-11-17', false)).toBeGreaterThan(version('2026-11-16', true));
  });
});
