export const TYPES: readonly string[];
export function commitProblems(commit: { parents: readonly string[]; subject: string }): string[];
