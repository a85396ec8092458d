import { makePython } from './python-environment.mjs';
import { startStandalone } from './servers.mjs';
import { makeTypeScript } from './typescript-environment.mjs';

export default async function setup() {
  const python = await makePython();
  const typescript = makeTypeScript();
  const { env, stop } = await startStandalone();
  Object.assign(process.env, env, {
    TEST_PYTHON: python ?? '',
    TEST_TYPESCRIPT: typescript ?? '',
  });
  globalThis.stopServers = stop;
}
