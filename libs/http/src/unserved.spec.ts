import { whyUnserved } from './unserved.js';

describe('a path that is not served on purpose', () => {
  it.each([
    ['/completions/create', 'runs no models'],
    ['/completions/create_stream?x=1', 'runs no models'],
    ['/evaluations/evaluate_model', 'runs no evaluations'],
    ['/link_to_registry', 'aliases'],
    ['/files/resolve_url', 'file/content'],
    ['/inference/models', 'no models'],
    ['/project/sensitive_data_settings', 'security.md'],
    ['/project/ingest_sampling_settings/read', 'sample in the SDK'],
    ['/export/jobs', 'calls/export'],
    ['/oidc/token', 'WANDB_API_KEY'],
  ])('has a reason and an alternative: %s', (url, words) => {
    expect(whyUnserved(url)).toContain(words);
  });

  it.each(['/agents/spans/query', '/completions', '/calls/query', '/', '/annotation_queues/x'])(
    'is not %s',
    (url) => {
      expect(whyUnserved(url)).toBeUndefined();
    },
  );
});
