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
  it('reads the start time behind a command with spaces and brackets', () => {
    expect(startInStat(stat('a (b) c', 'S'), 'boot')).toBe('98765@boot');
  });

  it('takes a zombie for dead', () => {
    expect(startInStat(stat('sh', 'Z'), 'boot')).toBeUndefined();
  });

  it('survives being written down', () => {
    const identity = { pid: 7, startedAt: 'Sun Nov 15 02:28:00 2026' };
    expect(parseIdentity(printIdentity(identity))).toEqual(identity);
  });

  it('refuses text that is no identity', () => {
    expect(parseIdentity('')).toBeUndefined();
    expect(parseIdentity('12')).toBeUndefined();
  });

  it('knows this process, and not one that began at another time', async () => {
    const own = await identityOf(process.pid);
    expect(own && (await isRunning(own))).toBe(true);
    expect(await isRunning({ pid: process.pid, startedAt: 'another time' })).toBe(false);
  });
});
