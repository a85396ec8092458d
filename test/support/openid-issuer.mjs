// An OpenID Connect issuer on the loopback address, for the tests of the login:
//   node test/support/openid-issuer.mjs <port> <redirect uri>
// Any password is right. The login `ann.ml@example.com` is the user of that address in the group `ml`; `eve.unverified@…`
// has an address that is not verified. It prints `ready` and ends with its parent.
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const [port, redirectUri] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;

/** The library sends groups only at the userinfo endpoint, like other issuers. */
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'heddle',
      client_secret: 'secret-of-the-client',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code'],
    },
  ],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
  pkce: { required: () => true },
  cookies: { keys: ['key-of-the-tests'] },
  findAccount: (_context, login) => ({
    accountId: login,
    claims: () => {
      const [, group] = login.split('@')[0].split('.');
      return {
        sub: login,
        email: login,
        email_verified: group !== 'unverified',
        groups: ['staff', group],
      };
    },
  }),
});

createServer(provider.callback()).listen(Number(port), '127.0.0.1', () => {
  process.stdout.write('ready\n');
});
process.stdin.resume().on('end', () => process.exit());
