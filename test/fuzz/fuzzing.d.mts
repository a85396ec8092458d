export interface Failure {
  readonly number: number;
  readonly status: number;
  readonly text: string;
  readonly operation: string;
  readonly body: string;
}

export interface FuzzResult {
  readonly statuses: Readonly<Record<number, number>>;
  readonly failures: readonly Failure[];
  readonly rss: readonly number[];
  readonly slowestMs: number;
  readonly repeated: number;
  readonly operations: number;
}

export function fuzz(options: {
  url: string;
  key: string;
  requests: number;
  seed: number;
  clients?: number;
  onProgress?: (sent: number, result: FuzzResult) => void;
}): Promise<FuzzResult>;
export function report(result: FuzzResult): string;
