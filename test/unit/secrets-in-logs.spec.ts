import { newApiKey } from '@app/auth';
import { refuseSecrets, secretsIn } from '../support/secrets-in-logs.mjs';

describe('the search for keys in logs', () => {
  it('finds a key that Heddle made and a known key in an Authorization header', () => {
    const [made, known] = [newApiKey(), 'a-key-for-tests'];
    const log = `{"msg":"hello"}\n{"key":"${made}"}\n{"authorization":"Basic ${btoa(`api:${known}`)}"}`;

    expect(secretsIn(log, [known])).toEqual([made, btoa(`api:${known}`)]);
    expect(() => refuseSecrets(log, [known], 'a program')).toThrow(
      /log of a program contains an API key/,
    );
  });

  it('finds nothing in a log without keys', () => {
    expect(secretsIn('{"msg":"hello","keyId":"0123456789ab"}', ['a-key-for-tests'])).toEqual([]);
  });
});
