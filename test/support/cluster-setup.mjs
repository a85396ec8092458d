import { startCluster } from './cluster-server.mjs';

export default async function setup() {
  const { env, stop } = await startCluster();
  Object.assign(process.env, env);
  globalThis.stopServers = stop;
}
