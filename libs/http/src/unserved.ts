/** Parts of the interface that clients know and Heddle leaves out on purpose: where they begin, and why. */
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
    'There are no annotation queues here; annotations are kept as feedback.',
  ],
  [
    /^\/agents\/(?!otel\/)/,
    'Spans of agents are kept as calls; ask for them with calls/stream_query, by thread_id or trace_id.',
  ],
  [/^\/oidc\/token$/, 'Only API keys are accepted; set WANDB_API_KEY.'],
];

/** Why a path is not served, when that was decided rather than never heard of. */
export function whyUnserved(url: string): string | undefined {
  const path = url.split('?', 1)[0]!;
  return UNSERVED.find(([pattern]) => pattern.test(path))?.[1];
}
