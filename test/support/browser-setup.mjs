import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startStandalone, unusedPort } from './servers.mjs';

/** One server and one issuer for all tests of the page. Keys are created by the tests. */
export default async function setup() {
  const [port, issuerPort] = [await unusedPort(), await unusedPort()];
  const url = `http://127.0.0.1:${port}`;
  const issuer = await startIssuer(issuerPort, `${url}/session/openid/callback`);
  const { env, stop } = await startStandalone({
    READ_WAIT_MS: '20000',
    PORT: String(port),
    PUBLIC_URL: url,
    OIDC_ISSUER: `http://127.0.0.1:${issuerPort}`,
    OIDC_NAME: 'Test Issuer',
    OIDC_CLIENT_ID: 'heddle',
    OIDC_CLIENT_SECRET: 'secret-of-the-client',
    OIDC_GRANTS: 'ml=write@*',
  });
  Object.assign(process.env, env, { TEST_URL: url });
  globalThis.stopServers = async () => {
    issuer.kill();
    await stop();
  };
}

async function startIssuer(port, redirectUri) {
  const entry = new URL('./openid-issuer.mjs', import.meta.url).pathname;
  const child = spawn(process.execPath, [entry, String(port), redirectUri], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  return child;
}
