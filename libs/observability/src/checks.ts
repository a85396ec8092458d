/** A health check of one dependency. */
export interface Check {
  readonly name: string;
  /** The problem is reported, but the process stays ready. */
  readonly isAdvisory?: boolean;
  /** Resolves to a description of the problem, or to undefined when the dependency is healthy. */
  readonly problem: () => Promise<string | undefined>;
}

export interface Health {
  readonly ready: boolean;
  /** `ok` or the problem, by the name of the check. */
  readonly checks: Readonly<Record<string, string>>;
}

const CHECK_TIMEOUT_MS = 3000;

/** Runs all checks in parallel. A check that does not finish in time counts as failed. */
export async function runChecks(checks: readonly Check[]): Promise<Health> {
  const results = await Promise.all(
    checks.map(async (check) => ({ ...check, result: await outcome(check) })),
  );
  return {
    ready: results.every(({ isAdvisory, result }) => isAdvisory === true || result === 'ok'),
    checks: Object.fromEntries(results.map(({ name, result }) => [name, result])),
  };
}

async function outcome(check: Check): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('timed out'), CHECK_TIMEOUT_MS);
  });
  try {
    return (await Promise.race([check.problem(), timeout])) ?? 'ok';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}
