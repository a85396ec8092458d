import { startStandalone } from './servers.mjs';

/** One server for all tests of the page. Its keys are created by the tests. */
export default async function setup() {
  const { env, stop } = await startStandalone({ READ_WAIT_MS: '20000' });
  Object.assign(process.env, env);
  globalThis.stopServers = stop;
}
