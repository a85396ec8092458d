import { readdirSync, readFileSync } from 'node:fs';
import { ifRunning } from '../support/proc-cpu.mjs';

/** The process and all its descendants: `{ pid, began, rss }`. `began` tells it apart from a later process with the same pid. */
export function familyOf(root) {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(entryOf);
  const below = (pid) =>
    all.filter(({ parent }) => parent === pid).flatMap((one) => [one, ...below(one.pid)]);
  return [...all.filter(({ pid }) => pid === root), ...below(root)];
}

function entryOf(pid) {
  return ifRunning(() => readEntry(pid)) ?? [];
}

function readEntry(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command name in parentheses may contain parentheses, so fields are counted after the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const rss = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (rss === null) return [];
  return [{ pid: Number(pid), parent: Number(fields[1]), began: fields[19], rss: rss[1] * 1024 }];
}

/** Watches the memory of a process, and which processes it has started. */
export class ProcessWatch {
  mostBytes = 0;
  #timer;
  #pid;
  #family;

  constructor(pid, intervalMs = 100) {
    this.#pid = pid;
    this.#family = identities(familyOf(pid));
    this.#timer = setInterval(() => this.#look(), intervalMs);
  }

  /** Whether a process that ran at the start is gone. */
  get hasLostProcess() {
    const now = identities(familyOf(this.#pid));
    return [...this.#family].some((one) => !now.has(one));
  }

  stop() {
    clearInterval(this.#timer);
  }

  #look() {
    this.mostBytes = Math.max(this.mostBytes, residentBytes(this.#pid));
  }
}

/** Of the process that serves clients, without its children. */
export const residentBytes = (pid) => entryOf(pid)[0]?.rss ?? 0;

const identities = (family) => new Set(family.map(({ pid, began }) => `${pid} ${began}`));
