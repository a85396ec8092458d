import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../docs/adr/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.md'));
const records = files.map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }));
const numberOf = (name: string) => Number(name.slice(0, 4));
const numbers = files.map(numberOf);

describe('the decision records', () => {
  it('are numbered from 1 without gaps', () => {
    expect(numbers.sort((a, b) => a - b)).toEqual(files.map((_, i) => i + 1));
  });

  it.each(records)(
    'have a title with their number, a status and a date: $name',
    ({ name, text }) => {
      const [title, , status, date, blank] = text.split('\n');

      expect(title).toMatch(new RegExp(`^# ${numberOf(name)}\\. \\S`));
      expect(status).toMatch(/^- Status: (accepted|(accepted, amended|superseded) by \d+)$/);
      expect(date).toMatch(/^- Date: \d{4}-\d\d-\d\d$/);
      expect(blank).toBe('');
    },
  );

  it.each(records)('have a situation, a choice and what it costs: $name', ({ text }) => {
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);

    expect(headings).toEqual(expect.arrayContaining(['Situation', 'Choice', 'What we gave up']));
  });

  it.each(records)('name only later records as successors: $name', ({ name, text }) => {
    const successor = /^- Status: .+ by (\d+)$/m.exec(text)?.[1] ?? Infinity;

    expect(Number(successor)).toBeGreaterThan(numberOf(name));
    if (successor !== Infinity) expect(numbers).toContain(Number(successor));
  });

  it.each(records)('link to files that exist: $name', ({ text }) => {
    const links = [...text.matchAll(/\]\(([^)#:]+)\)/g)].map(([, link]) => link!);

    for (const link of links) expect(() => readFileSync(new URL(link, folder))).not.toThrow();
  });
});
