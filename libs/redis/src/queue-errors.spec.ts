import { queueError } from './queue-errors.js';

describe('an error of Redis', () => {
  it.each([
    "OOM command not allowed when used memory > 'maxmemory'.",
    "EXECABORT Transaction discarded because of: OOM command not allowed when used memory > 'maxmemory'.",
  ])('means that the queue is full: %s', (message) => {
    expect(queueError(new Error(message))).toMatchObject({ code: 'queue_full', message });
  });

  it.each([
    'MISCONF Errors writing to the AOF file: No space left on device',
    'EXECABORT Transaction discarded because of: MISCONF Errors writing to the AOF file: No space left on device',
  ])('means that a disk is full: %s', (message) => {
    expect(queueError(new Error(message))).toMatchObject({
      code: 'disk_full',
      message:
        'Redis cannot write to its disk: Errors writing to the AOF file: No space left on device',
      retryAfterSeconds: 5,
    });
  });

  it('means that the queue is full when a command of an aborted transaction was refused for it', () => {
    const aborted = Object.assign(
      new Error('EXECABORT Transaction discarded because of previous errors.'),
      { previousErrors: [new Error('OOM command not allowed')] },
    );

    expect(queueError(aborted)).toMatchObject({ code: 'queue_full', cause: aborted });
  });

  it.each([new Error('Connection is closed.'), 'BROOM', undefined])(
    'means that the queue is unavailable: %s',
    (error) => {
      expect(queueError(error)).toMatchObject({ code: 'queue_unavailable', cause: error });
    },
  );
});
