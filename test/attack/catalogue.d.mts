import type { Attack } from './attacking.mjs';

export function attackNamed(name: string): Attack;
