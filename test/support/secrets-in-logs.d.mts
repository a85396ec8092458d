export function secretsIn(log: string, known?: readonly string[]): string[];
export function refuseSecrets(log: string, known: readonly string[], whose: string): void;
