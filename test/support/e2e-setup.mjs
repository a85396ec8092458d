import { startStandalone } from './servers.mjs';

export default async function setup() {
  const { env, stop } = await startStandalone();
  Object.assign(process.env, env);
  globalThis.stopServers = stop;
}
