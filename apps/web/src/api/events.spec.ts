import { EventParser } from './events.js';

const eventsOf = (text: string) => {
  const parser = new EventParser();
  return text.split('\n').flatMap((line) => parser.push(line) ?? []);
};

describe('an event stream', () => {
  it('consists of events with a name, an id and data', () => {
    expect(
      eventsOf(
        'event: open\nid: 1-0\ndata: {}\n\n: heartbeat\n\nevent: calls\nid: 2-0\ndata: {"a":\ndata: 1}\n\n',
      ),
    ).toEqual([
      { event: 'open', id: '1-0', data: '{}' },
      { event: 'calls', id: '2-0', data: '{"a":\n1}' },
    ]);
  });

  it('drops an event that is not complete', () => {
    expect(eventsOf('event: calls\ndata: {}')).toEqual([]);
  });
});
