import { makePython } from './python-environment.mjs';
import { startIssuer } from './issuer-process.mjs';
import { startStandalone, unusedPort } from './servers.mjs';

/** One server and one issuer for all tests of the page. Keys are created by the tests. */
export default async function setup() {
  const python = await makePython().catch((problem) => {
    console.log(`\n${problem.message} The page is tested without the Python client.`);
    return undefined;
  });
  const port = await unusedPort();
  const issuer = await startIssuer(`http://127.0.0.1:${port}`, 'ml=write@*');
  const { env, stop } = await startStandalone({ ...issuer.settings, PORT: String(port) });
  Object.assign(process.env, env, {
    TEST_URL: issuer.settings.PUBLIC_URL,
    TEST_PYTHON: python ?? '',
  });
  globalThis.stopServers = async () => {
    issuer.stop();
    await stop();
  };
}
