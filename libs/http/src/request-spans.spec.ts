import { isTraced } from './request-spans.js';

describe('the routes that are traced', () => {
  it('are those of clients', () => {
    for (const route of ['/call/upsert_batch', '/calls/stream_query', '/obj/create', '/'])
      expect(isTraced(route)).toBe(true);
  });

  it('are not those that receive spans, so that spans never make spans', () => {
    for (const route of ['/otel/v1/traces', '/agents/otel/v1/traces'])
      expect(isTraced(route)).toBe(false);
  });

  it('are not probes', () => {
    for (const route of ['/healthz', '/readyz', '/metrics']) expect(isTraced(route)).toBe(false);
  });
});
