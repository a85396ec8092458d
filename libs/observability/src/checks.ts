/** One thing a process depends on. */
export interface Check {
  readonly name: string;
  /** Resolves to a sentence when something is wrong, to undefined when all is well. */
  readonly problem: () => Promise<string | undefined>;
}

export interface Health {
  readonly ready: boolean;
  /** `ok`, or what is wrong, by name. */
  readonly checks: Readonly<Record<string, string>>;
}

const CHECK_WITHIN_MS = 3000;

/** Runs all checks at once; one that hangs counts as failed. */
export async function runChecks(checks: readonly Check[]): Promise<Health> {
  const results = await Promise.all(
    checks.map(async (check) => [check.name, await outcome(check)] as const),
  );
  return {
    ready: results.every(([, result]) => result === 'ok'),
    checks: Object.fromEntries(results),
  };
}

async function outcome(check: Check): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('does not answer'), CHECK_WITHIN_MS);
  });
  try {
    return (await Promise.race([check.problem(), late])) ?? 'ok';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}
