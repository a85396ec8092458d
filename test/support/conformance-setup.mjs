import { makePython } from './python-environment.mjs';
import { startStandalone } from './servers.mjs';

export default async function setup() {
  const python = await makePython();
  const { env, stop } = await startStandalone();
  Object.assign(process.env, env, { TEST_PYTHON: python ?? '' });
  globalThis.stopServers = stop;
}
