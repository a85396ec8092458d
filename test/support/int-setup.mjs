import { startDependencies } from './servers.mjs';

export default async function setup() {
  const { env, stop } = await startDependencies();
  Object.assign(process.env, env);
  globalThis.stopServers = stop;
}
