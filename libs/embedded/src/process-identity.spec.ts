import {
  identityOf,
  isRunning,
  parseIdentity,
  printIdentity,
  startInStat,
} from './process-identity.js';

const stat = (command: string, state: string) =>
  `42 (${command}) ${state} ${Array.from({ length: 18 }, (_, i) => i).join(' ')} 98765 0 0`;

describe('the identity of a process', () => {
  it('has the start time of a command with spaces and brackets', () => {
    expect(startInStat(stat('a (b) c', 'S'), 'boot')).toBe('98765@boot');
  });

  it('is undefined for a zombie', () => {
    expect(startInStat(stat('sh', 'Z'), 'boot')).toBeUndefined();
  });

  it('is the same after printing and parsing', () => {
    const identity = { pid: 7, startedAt: 'Sun Nov 15 02:28:00 2026' };
    expect(parseIdentity(printIdentity(identity))).toEqual(identity);
  });

  it('is undefined for malformed text', () => {
    expect(parseIdentity('')).toBeUndefined();
    expect(parseIdentity('12')).toBeUndefined();
  });

  it('matches this process, and no process with another start time', async () => {
    const own = await identityOf(process.pid);
    expect(own && (await isRunning(own))).toBe(true);
    expect(await isRunning({ pid: process.pid, startedAt: 'another time' })).toBe(false);
  });
});
