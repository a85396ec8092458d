export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Cells of the table that finds the longest common part. Beyond it the changed part is shown as removed and added. */
const CELLS_MAX = 4_000_000;

/** What to remove from the first text and to add to it, line by line, to get the second one. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const same = (lines: readonly string[]) => lines.map((text) => line('same', text));
  return [
    ...same(a.slice(0, start)),
    ...changed(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(a.slice(a.length - end)),
  ];
}

const line = (kind: DiffLine['kind'], text: string): DiffLine => ({ kind, text });

function changed(a: readonly string[], b: readonly string[]): DiffLine[] {
  if (a.length * b.length > CELLS_MAX) {
    return [...a.map((text) => line('removed', text)), ...b.map((text) => line('added', text))];
  }
  // The length of the longest common part of the ends that begin at each pair of lines.
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(line('same', a[i]!));
      i++;
      j++;
    } else if (
      j >= b.length ||
      (i < a.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)
    ) {
      lines.push(line('removed', a[i++]!));
    } else lines.push(line('added', b[j++]!));
  }
  return lines;
}

/** The changed lines with a few lines around each. */
export function withContext(lines: readonly DiffLine[], around: number): (DiffLine | number)[] {
  const near = new Uint8Array(lines.length);
  for (const [i, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    near.fill(1, Math.max(0, i - around), Math.min(lines.length, i + around + 1));
  }
  const shown: (DiffLine | number)[] = [];
  let hidden = 0;
  for (const [i, one] of lines.entries()) {
    if (near[i]) {
      if (hidden > 0) shown.push(hidden);
      hidden = 0;
      shown.push(one);
    } else hidden++;
  }
  if (hidden > 0) shown.push(hidden);
  return shown;
}
