import { readFile } from 'node:fs';
import { jest } from '@jest/globals';
import { Command } from 'ioredis';
import { SetBytesCommand } from './set-bytes-command.js';

const MiB = 1024 * 1024;
const SOCKET = {};

describe('SET of many bytes', () => {
  it.each([0, 1, 4 * MiB, 4 * MiB + 1, 9 * MiB])('of %s is sent as ioredis would', async (size) => {
    const value = Buffer.alloc(size, 'heddle\r\n$ü');
    const key = 'heddle:payload:ü';
    const expected = Buffer.from(new Command('set', [key, value]).toWritable(SOCKET));
    const command = new SetBytesCommand(key, value);
    const bytes = () => Buffer.from(command.toWritable(SOCKET));

    expect(bytes().equals(expected)).toBe(true);
    await command.prepare();
    expect(bytes().equals(expected)).toBe(true);
    expect(command.toWritable(SOCKET)).toBe(command.toWritable(SOCKET)); // copies nothing
  });

  it('is prepared in turns, with timers between', async () => {
    const order: string[] = [];
    const value = Buffer.alloc(8 * MiB);
    jest.spyOn(value, 'copy').mockImplementation(() => {
      order.push('copy');
      setTimeout(() => order.push('timer'), 1);
      for (const until = performance.now() + 3; performance.now() < until;); // as long as the copy takes
      return 0;
    });
    // Bodies arrive in the phase in which files are read, too: the next immediate comes before any timer there.
    await new Promise<void>((resolve, reject) => {
      readFile(new URL(import.meta.url), () => {
        new SetBytesCommand('key', value).prepare().then(resolve, reject);
      });
    });
    order.push('prepared');

    expect(order).toEqual(['copy', 'timer', 'copy', 'timer', 'prepared']);
  });
});
