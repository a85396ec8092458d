import { newApiKey } from '@app/auth';
import { refuseSecrets, secretsIn } from '../support/secrets-in-logs.mjs';

describe('the search for keys in logs', () => {
  it('finds a key of ours, a known one, and one in an Authorization header', () => {
    const [made, known] = [newApiKey(), 'a-key-for-tests'];
    const log = `{"msg":"hello"}\n{"key":"${made}"}\n{"authorization":"Basic ${btoa(`api:${known}`)}"}`;

    expect(secretsIn(log, [known])).toEqual([made, btoa(`api:${known}`)]);
    expect(() => refuseSecrets(log, [known], 'somebody')).toThrow(
      /log of somebody holds an API key/,
    );
  });

  it('stays quiet where there is none', () => {
    expect(secretsIn('{"msg":"hello","keyId":"0123456789ab"}', ['a-key-for-tests'])).toEqual([]);
  });
});
