interface Family {
  /** HELP and TYPE. */
  readonly head: string[];
  readonly samples: string[];
}

/**
 * One page of two processes in Prometheus's text format: each sample of the second gets a label with its name. The format
 * allows each family once, so samples of the same family are put together.
 */
export function mergedPage(own: string, other: string, process: string): string {
  const families = new Map<string, Family>();
  addFamilies(families, own, (line) => line);
  addFamilies(families, other, (line) => labelled(line, process));
  return [...families.values()]
    .map(({ head, samples }) => `${[...head, ...samples].join('\n')}\n`)
    .join('\n');
}

function addFamilies(
  families: Map<string, Family>,
  page: string,
  sample: (line: string) => string,
): void {
  let family: Family | undefined;
  let isNew = false;
  for (const line of page.split('\n')) {
    const [, kind, name] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? [];
    if (name !== undefined) {
      // HELP comes first. A family without it begins with its TYPE.
      if (kind === 'HELP' || families.get(name) === undefined) isNew = !families.has(name);
      family = families.get(name) ?? { head: [], samples: [] };
      families.set(name, family);
      if (isNew) family.head.push(line);
    } else if (line !== '' && !line.startsWith('#')) family?.samples.push(sample(line));
  }
}

function labelled(line: string, process: string): string {
  const [, name = '', rest = ''] = /^([\w:]+)(.*)$/.exec(line) ?? [];
  const label = `process="${process}"`;
  return rest.startsWith('{') ? `${name}{${label},${rest.slice(1)}` : `${name}{${label}}${rest}`;
}
