/** Paths of the interface that Heddle does not serve on purpose, with the reason and an alternative. */
const UNSERVED: readonly (readonly [path: RegExp, why: string])[] = [
  [
    /^\/(completions|image)\/create(_stream)?$/,
    'Heddle runs no models; call the provider from your program and trace that call.',
  ],
  [
    /^\/(evaluations\/(evaluate_model|status|rescore)|calls\/score)$/,
    'Heddle runs no evaluations; run them with the SDK, which sends their results here.',
  ],
  [/^\/v2\/[^/]+\/[^/]+\/runtimes\//, 'Heddle runs no code of its users.'],
  [/^\/link_to_registry$/, 'There is no registry here; use aliases to mark a version.'],
  [
    /^\/files\/resolve_url$/,
    'Files have no addresses outside of Heddle; read their bytes with file/content, by digest.',
  ],
  [/^\/inference\//, 'Heddle offers no models.'],
  [
    /^\/annotation_queues(\/|$)/,
    'There are no annotation queues here; annotations are stored as feedback.',
  ],
  [
    /^\/agents\/(?!otel\/)/,
    'Spans of agents are stored as calls; read them with calls/stream_query, by thread_id or trace_id.',
  ],
  [/^\/oidc\/token$/, 'Only API keys are accepted; set WANDB_API_KEY.'],
];

/** The reason why a known path is not served; undefined for an unknown path. */
export function whyUnserved(url: string): string | undefined {
  const path = url.split('?', 1)[0]!;
  return UNSERVED.find(([pattern]) => pattern.test(path))?.[1];
}
