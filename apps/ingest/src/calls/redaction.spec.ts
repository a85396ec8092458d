import fc from 'fast-check';
import { readConfig } from '@app/config';
import type { NewFact } from '@app/events';
import { Redaction } from './redaction.js';

const redaction = new Redaction(readConfig({}).ingest.redactKeys);

const aFact = (item: string, kind: NewFact['kind'] = 'start'): NewFact => {
  const fact = { projectId: 'a/b', callId: 'c', userId: 'ann', receivedAt: 1, reason: '' };
  return { ...fact, kind, item: Buffer.from(item) };
};
const kept = (item: object, kind?: NewFact['kind']) =>
  JSON.parse(redaction.fact(aFact(JSON.stringify(item), kind)).item.toString()) as unknown;

describe('redaction', () => {
  it.each([
    ...['api_key', 'API-KEY', 'openaiApiKey', 'Authorization', 'auth_token', 'bearerToken'],
    ...['auth_headers', 'aws_access_key', 'AWS_ACCESS_KEY_ID', 'webhook_key', 'webhook-secret'],
    ...['slack_api_token', 'access_token', 'refresh_token', 'session_token', 'client_secret'],
    ...['private_key', 'secret_key', 'secret_access_key', 'x-api_key_'],
  ])('hides what stands under %s', (key) => {
    const secret = { deep: [{ [key]: 'sk-123 "quoted"' }] };

    expect(kept({ inputs: secret, attributes: secret, otel_dump: secret })).toEqual({
      inputs: { deep: [{ [key]: 'REDACTED' }] },
      attributes: { deep: [{ [key]: 'REDACTED' }] },
      otel_dump: { deep: [{ [key]: 'REDACTED' }] },
    });
  });

  it.each([
    'key',
    'token',
    'max_tokens',
    'prompt_tokens',
    'keys',
    'author',
    'authorization_url',
    'id',
  ])('stays quiet about %s', (key) => {
    expect(kept({ inputs: { [key]: 'x' } })).toEqual({ inputs: { [key]: 'x' } });
  });

  it('hides strings only, and only in inputs, attributes and the span', () => {
    const item = {
      inputs: { api_key: 7, b: { api_key: null } },
      output: { api_key: 'x' },
      summary: { api_key: 'x' },
    };

    expect(kept(item)).toEqual(item);
    expect(kept({ end: { output: { api_key: 'x' } } }, 'end')).toEqual({
      end: { output: { api_key: 'x' } },
    });
  });

  it('hides them everywhere in an item that was rejected', () => {
    expect(kept({ output: { api_key: 'x' } }, 'rejected')).toEqual({
      output: { api_key: 'REDACTED' },
    });
  });

  it('does not take text for keys', () => {
    const item = {
      inputs: { prompt: 'say {"api_key":"x"} or \\"api_key\\":"y"', list: ['api_key', 'x'] },
    };

    expect(kept(item)).toEqual(item);
  });

  it('changes nothing else, not a byte', () => {
    const value = fc.jsonValue();
    fc.assert(
      fc.property(value, value, (a, b) => {
        const text = (secret: string) =>
          `{"inputs" :{"a": ${JSON.stringify(a)},"api_key": ${secret}, "b":${JSON.stringify(b)}}}`;
        fc.pre(
          !/(key|token|secret|authorization|headers|keyid)[_-]*"/i.test(JSON.stringify([a, b])),
        );

        expect(redaction.fact(aFact(text('"x\\"y"'))).item.toString()).toBe(text('"REDACTED"'));
      }),
    );
  });

  it('can be turned off and told other names', () => {
    const off = new Redaction(readConfig({ REDACT_KEYS: 'none' }).ingest.redactKeys);
    const own = new Redaction(readConfig({ REDACT_KEYS: 'pin,*_code' }).ingest.redactKeys);
    const fact = aFact('{"inputs":{"api_key":"a","PIN":"b","door-code":"c"}}');

    expect(off.fact(fact)).toBe(fact);
    expect(own.fact(fact).item.toString()).toBe(
      '{"inputs":{"api_key":"a","PIN":"REDACTED","door-code":"REDACTED"}}',
    );
  });
});
