export function violations(paths?: readonly string[]): string[];
