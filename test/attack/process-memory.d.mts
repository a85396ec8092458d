/** Of the process that serves clients, without its children. */
export function residentBytes(pid: number): number;
