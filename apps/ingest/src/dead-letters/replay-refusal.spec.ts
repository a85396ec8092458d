import { replayRefusal } from './replay-refusal.js';

const rejected = { kind: 'rejected' };
const ofKind = (kind: string) => ({ kind });

describe('a dead letter', () => {
  it.each([
    ['an item of a batch', rejected, '{"mode":"start","req":{"start":{}}}'],
    ['a whole call over several lines', rejected, '{\n"type":"x",\n"data":{}}\n'],
    ['anything else that is JSON', rejected, 'null'],
    ['a fact that ClickHouse refused', ofKind('rename'), '{"display_name":"x"}'],
  ])('can be replayed when its item is %s', (_what, deadLetter, item) => {
    expect(replayRefusal(deadLetter, item)).toBeUndefined();
  });

  it.each([
    ['empty', rejected, '', /is lost/],
    ['empty, whatever its kind', ofKind('start'), '', /is lost/],
    ['truncated', rejected, '{"mode":', /not JSON/],
    ['truncated, whatever its kind', ofKind('start'), '{"id":', /not JSON/],
    ['a rename without a name', ofKind('rename'), '[]', /no display_name/],
    ['a rename to null', ofKind('rename'), 'null', /no display_name/],
    ['a record', rejected, '{"type":"FileStored","data":{}}\n\u0000\u0001', /FileStored/],
    [
      'a record without bytes',
      rejected,
      '{"type":"ObjectDeleted","data":{}}\n',
      /send the request again/,
    ],
  ])('is refused with the next step when its item is %s', (_what, deadLetter, item, reason) => {
    expect(replayRefusal(deadLetter, item)).toMatch(reason);
  });
});
