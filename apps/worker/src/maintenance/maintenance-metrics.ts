import { counter, gauge } from '@app/observability';

const RUNS = counter(
  'heddle_worker_maintenance_runs_total',
  'Runs of maintenance jobs that ended.',
  ['job'],
);
const FAILURES = counter('heddle_worker_maintenance_failures_total', 'Runs that failed.', ['job']);
const LAST_SUCCESS = gauge(
  'heddle_worker_maintenance_last_success_seconds',
  'When a run last succeeded in this worker, in Unix time.',
  ['job'],
);
const DURATION = gauge(
  'heddle_worker_maintenance_duration_seconds',
  'How long the last successful run in this worker took.',
  ['job'],
);

/** Shows a job that has not run yet with zeros, so that an alert can tell it from a missing one. */
export function initialiseMetrics(job: string): void {
  RUNS.inc({ job }, 0);
  FAILURES.inc({ job }, 0);
}

export function countSuccess(job: string, seconds: number): void {
  RUNS.inc({ job });
  LAST_SUCCESS.set({ job }, Date.now() / 1000);
  DURATION.set({ job }, seconds);
}

export function countFailure(job: string): void {
  RUNS.inc({ job });
  FAILURES.inc({ job });
}
