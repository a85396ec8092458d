import type { CallItem } from '@app/events';

/** The path of a value in the body. */
export type Loc = readonly (string | number)[];

const NAMES_MAX = 10;
const NAME_MAX_CHARACTERS = 100;

/**
 * The members of a body that are not read, each name once, with the path where it is first. A batch repeats a misspelt name in
 * every item, so that the paths of all items would say the same.
 */
export class IgnoredNames {
  private readonly paths = new Map<string, string>();

  add(name: string, loc: Loc): void {
    if (this.paths.size === NAMES_MAX || this.paths.has(name)) return;
    const path = [...loc.slice(1), name.slice(0, NAME_MAX_CHARACTERS)].join('.');
    this.paths.set(name, path);
  }

  /** Adds the members of a record that its class does not declare. */
  addUndeclared(item: CallItem, declared: ReadonlySet<string>, loc: Loc): void {
    for (const name in item)
      if (item[name] !== undefined && !declared.has(name)) this.add(name, loc);
  }

  list(): string[] {
    return [...this.paths.values()];
  }
}
