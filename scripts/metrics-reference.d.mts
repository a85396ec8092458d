export interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  readonly help: string;
}

export function metricsOf(root: string): Metric[];
export function metricsReference(root: string): string;
