import { counter, gauge } from '@app/observability';

/** The label is `task`: Prometheus sets `job` to the name of the target, and would hide ours. */
const RUNS = counter(
  'heddle_worker_maintenance_runs_total',
  'Runs of maintenance jobs that ended.',
  ['task'],
);
const FAILURES = counter('heddle_worker_maintenance_failures_total', 'Runs that failed.', ['task']);
const LAST_SUCCESS = gauge(
  'heddle_worker_maintenance_last_success_seconds',
  'When a run last succeeded in this worker, in Unix time.',
  ['task'],
);
const DURATION = gauge(
  'heddle_worker_maintenance_duration_seconds',
  'How long the last successful run in this worker took.',
  ['task'],
);

/** Shows a job that has not run yet with zeros, so that an alert can tell it from a missing one. */
export function initialiseMetrics(job: string): void {
  RUNS.inc({ task: job }, 0);
  FAILURES.inc({ task: job }, 0);
}

export function countSuccess(job: string, seconds: number): void {
  RUNS.inc({ task: job });
  LAST_SUCCESS.set({ task: job }, Date.now() / 1000);
  DURATION.set({ task: job }, seconds);
}

export function countFailure(job: string): void {
  RUNS.inc({ task: job });
  FAILURES.inc({ task: job });
}
