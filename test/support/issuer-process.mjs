import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { unusedPort } from './servers.mjs';

const entry = fileURLToPath(new URL('./openid-issuer.mjs', import.meta.url));

/** Starts an issuer for a server at `publicUrl`, as a process of its own. `settings` make the server accept its logins. */
export async function startIssuer(publicUrl, grants) {
  const port = await unusedPort();
  const redirectUri = `${publicUrl}/session/openid/callback`;
  const child = spawn(process.execPath, [entry, String(port), redirectUri], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  await once(createInterface(child.stdout), 'line');
  const settings = {
    OIDC_ISSUER: `http://127.0.0.1:${port}`,
    OIDC_NAME: 'Test Issuer',
    OIDC_CLIENT_ID: 'heddle',
    OIDC_CLIENT_SECRET: 'secret-of-the-client',
    OIDC_GRANTS: grants,
    PUBLIC_URL: publicUrl,
  };
  return { settings, stop: () => void child.kill() };
}
