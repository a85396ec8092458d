export interface AttackResult {
  readonly name: string;
  readonly outcomes: Readonly<Record<string, number>>;
  /** A sentence for each limit that was exceeded. */
  readonly failed: readonly string[];
  readonly memory: { readonly quiet: number; readonly most: number; readonly after: number };
  readonly hasRestarted: boolean;
  readonly recoverySeconds: number;
}

export interface Attack {
  readonly name: string;
}

export interface Times {
  readonly quietMs: number;
  readonly attackMs: number;
  readonly recoveryMs: number;
}

export interface Limits {
  readonly p99Ms: number;
  readonly ratio: number;
  readonly floorMs: number;
  readonly healthzMs: number;
  readonly recoverySeconds: number;
  readonly residentBytes: number;
}

export function attackAll(options: {
  server: { url: string; key: string; pid: number };
  attacks: readonly Attack[];
  times?: Times;
  limits?: Limits;
  attempts?: number;
  onResult?: (result: AttackResult) => void;
}): Promise<AttackResult[]>;
