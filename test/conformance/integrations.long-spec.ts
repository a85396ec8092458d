import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeScenarios, here, PYTHON } from './scenarios.js';

const requirements = join(here, 'python/integrations.txt');
const version = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
const packages = join(here, '../../.cache', `integrations-${version}`);

/** Beside the SDK's own packages, so that other tests do not wait for them. pip creates the directory when it is finished. */
function install(): void {
  if (PYTHON.program === '' || existsSync(packages)) return;
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--disable-pip-version-check'];
  const args = [...pip, '--target', packages, '-r', requirements];
  const { status } = spawnSync(PYTHON.program, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`pip ended with ${status}.`);
}

install();

describeScenarios(
  {
    ...PYTHON,
    name: 'integrated Python',
    environment: (url, key) => ({ ...PYTHON.environment(url, key), PYTHONPATH: packages }),
  },
  ['python/integrations.py', 'python/frameworks.py'],
);
