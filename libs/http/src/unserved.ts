interface Unserved {
  /** Templates: `:name` stands for one segment, a final `*` for the rest of the path. */
  readonly paths: readonly string[];
  /** The reason and an alternative. docs/how-to/migrate-from-weave.md has the same sentence. */
  readonly why: string;
}

/** Operations of the interface that Heddle does not serve on purpose. */
export const UNSERVED: readonly Unserved[] = [
  {
    paths: ['/completions/create', '/completions/create_stream', '/image/create'],
    why: 'Heddle runs no models; call the provider from your program and trace that call.',
  },
  {
    paths: [
      '/evaluations/evaluate_model',
      '/evaluations/status',
      '/evaluations/rescore',
      '/calls/score',
    ],
    why: 'Heddle runs no evaluations; run them with the SDK, which sends their results here.',
  },
  { paths: ['/inference/*'], why: 'Heddle offers no models; call a provider.' },
  {
    paths: ['/link_to_registry'],
    why: 'There is no registry here; use aliases to mark a version.',
  },
  {
    paths: ['/export/*'],
    why: 'There are no export jobs; calls/export returns calls as lines of JSON, CSV or Parquet.',
  },
  {
    paths: ['/files/resolve_url'],
    why: 'Files have no addresses outside of Heddle; read their bytes with file/content, by digest.',
  },
  {
    paths: ['/project/sensitive_data_settings'],
    why: 'Redaction is a setting of the server, the same for all projects; see docs/operations/security.md.',
  },
  {
    paths: ['/project/ingest_sampling_settings/read'],
    why: 'Every call is stored; sample in the SDK (tracing_sample_rate of an op).',
  },
  { paths: ['/oidc/token'], why: 'Only API keys are accepted; set WANDB_API_KEY.' },
];

const PATTERNS = UNSERVED.flatMap(({ paths, why }) =>
  paths.map((path) => [patternOf(path), why] as const),
);

function patternOf(path: string): RegExp {
  const segments = path.split('/').map((segment) => {
    if (segment === '*') return '.+';
    return segment.startsWith(':') ? '[^/]+' : segment.replaceAll('.', '\\.');
  });
  return new RegExp(`^${segments.join('/')}$`);
}

/** The reason why a known path is not served; undefined for an unknown path. */
export function whyUnserved(url: string): string | undefined {
  const path = url.split('?', 1)[0]!;
  return PATTERNS.find(([pattern]) => pattern.test(path))?.[1];
}
