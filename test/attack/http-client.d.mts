export interface AttackResponse {
  readonly status: number;
  readonly text: string;
}

export function clientOf(
  url: string,
  key?: string,
  signal?: AbortSignal,
): (path: string, body?: unknown) => Promise<AttackResponse>;
