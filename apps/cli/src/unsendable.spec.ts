import { unsendable } from './unsendable.js';

const rejected = { kind: 'rejected' };

describe('a dead letter', () => {
  it.each([
    ['an item of a batch', rejected, '{"mode":"start","req":{"start":{}}}'],
    ['a whole call over several lines', rejected, '{\n"type":"x",\n"data":{}}\n'],
    ['anything else that is JSON', rejected, 'null'],
    ['a fact that the store refused', { kind: 'rename' }, '{"display_name":"x"}'],
  ])('is sent again when it holds %s', (_what, letter, item) => {
    expect(unsendable(letter, item)).toBeUndefined();
  });

  it.each([
    ['nothing', rejected, '', /nothing was kept/],
    ['nothing, whatever it was', { kind: 'start' }, '', /nothing was kept/],
    ['half of something', rejected, '{"mode":', /not JSON/],
    ['a record', rejected, '{"type":"FileStored","data":{}}\n\u0000\u0001', /FileStored/],
    ['a record without bytes', rejected, '{"type":"ObjectDeleted","data":{}}\n', /write it again/],
  ])('stays and says what to do when it holds %s', (_what, letter, item, why) => {
    expect(unsendable(letter, item)).toMatch(why);
  });
});
