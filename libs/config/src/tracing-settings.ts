import { headers, ratio, url } from './setting.js';

/** How Heddle traces itself. */
export const TRACING_SETTINGS = {
  TRACING_URL: url(
    '',
    ['http:', 'https:'],
    'Where to send spans of Heddle itself as OTLP over HTTP, such as `http://collector:4318/v1/traces`. Empty traces nothing. See [tracing.md](../operations/tracing.md).',
  ),
  TRACING_SAMPLE_RATIO: ratio(
    1,
    'Share of the requests that are traced. A request whose `traceparent` is not sampled is never traced.',
  ),
  TRACING_HEADERS: headers(
    'Headers for `TRACING_URL`, such as `authorization=Bearer%20…`; values are percent-encoded.',
  ),
} as const;
