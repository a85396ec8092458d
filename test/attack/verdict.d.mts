import type { AttackResult, Limits } from './attacking.mjs';

export const LIMITS: Limits;
export function report(result: AttackResult): string;
