import { StoreRefusedError } from '@app/clickhouse';
import { QueueFullError } from '@app/redis';
import { operatorText } from './operator-error.js';

/** As ioredis rejects with it. */
const replyError = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });

describe('what a failed command prints', () => {
  it('is one sentence when Redis refuses a command', () => {
    const oom = replyError("OOM command not allowed when used memory > 'maxmemory'.");

    expect(operatorText(oom)).toBe("OOM command not allowed when used memory > 'maxmemory'.");
    expect(operatorText(replyError('LOADING Redis is loading the dataset in memory'))).toBe(
      'LOADING Redis is loading the dataset in memory',
    );
  });

  it('is the sentence of an error that an operator can act on', () => {
    expect(operatorText(new QueueFullError('the queue is full'))).toBe('the queue is full');
    expect(operatorText(new StoreRefusedError('Cannot parse a date', 38))).toBe(
      'Cannot parse a date',
    );
  });

  it('is the stack of an error in the program', () => {
    expect(operatorText(new TypeError('x is undefined'))).toMatch(
      /^TypeError: x is undefined\n +at /,
    );
  });
});
