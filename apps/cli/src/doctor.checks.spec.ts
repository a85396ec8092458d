import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clockFinding, nodeVersion, permissions } from './doctor.checks.js';

describe('the version of Node', () => {
  it.each([
    ['v20.19.0', 'ok'],
    ['v22.12.0', 'ok'],
    ['v24.1.0', 'ok'],
    ['v20.18.3', 'problem'],
    ['v21.7.0', 'problem'],
    ['v22.11.0', 'problem'],
  ])('%s is: %s', (version, state) => {
    expect(nodeVersion(version).state).toBe(state);
  });
});

describe('clocks', () => {
  it.each([
    [300, 'ok', 'All clocks agree within 300 ms.'],
    [5000, 'warning', 'The clock of Redis is 5000 ms ahead of that of ClickHouse'],
    [90_000, 'problem', 'synchronise them by NTP'],
  ])('that are %s ms apart are: %s', (apart, state, message) => {
    const found = clockFinding({
      'this machine': 1_000_100,
      Redis: 1_000_000 + apart,
      ClickHouse: 1_000_000,
    });

    expect(found.state).toBe(state);
    expect(found.message).toContain(message);
  });
});

describe('the data directory', () => {
  it('is a problem when others may read its keys, with the command that changes it', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'heddle-doctor-'));
    expect(await permissions(directory)).toMatchObject([{ state: 'ok' }]);

    const key = join(directory, 'api-key');
    writeFileSync(key, 'secret');
    chmodSync(key, 0o644);

    expect(await permissions(directory)).toEqual([
      {
        check: 'permissions',
        state: 'problem',
        message: `Other users may use ${key} (mode 644); run chmod go-rwx ${key}.`,
      },
    ]);
  });
});
