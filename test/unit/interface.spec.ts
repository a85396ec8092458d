import { readFileSync } from 'node:fs';
import { UNSERVED, whyUnserved } from '@app/http';
import { interfaceOperations } from '../support/wire-cases.js';
import { REFERENCE_OPERATIONS } from '../support/reference-operations.js';

const page = readFileSync(
  new URL('../../docs/how-to/migrate-from-weave.md', import.meta.url),
  'utf8',
);

/** The cells of the table below a heading, without its header. */
function tableBelow(heading: string): string[][] {
  const [, below = ''] = page.split(`\n## ${heading}\n`);
  const lines = below.split('\n## ')[0]!.split('\n');
  const rows = lines.filter((line) => line.startsWith('|')).slice(2);
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const PUBLIC = ['GET /health', 'GET /server_info'];

/** Parameters have no names, because the reference and Heddle name some of them differently. */
const unnamed = (operation: string) => operation.replace(/\{\w+\}/g, '{}');

describe('the interface of the reference', () => {
  it('is served, or is refused with a reason', () => {
    const served = new Set([...interfaceOperations(), ...PUBLIC].map(unnamed));
    const missing = REFERENCE_OPERATIONS.filter((operation) => {
      const path = operation.split(' ')[1]!.replace(/\{\w+\}/g, 'x');
      return !served.has(unnamed(operation)) && whyUnserved(path) === undefined;
    });

    expect(missing).toEqual([]);
  });

  it('is refused for the reasons in docs/how-to/migrate-from-weave.md', () => {
    const listed = UNSERVED.map(({ paths, why }) => [
      paths.map((path) => `\`${path.slice(1)}\``).join(', '),
      why,
    ]);

    expect(tableBelow('What is not served')).toEqual(listed);
  });

  it('is not served where the documents say that it is not', () => {
    const paths = interfaceOperations().map((operation) => operation.split(' ')[1]!);
    const refused = paths.map((path) => path.replace(/\{\w+\}/g, 'x')).filter(whyUnserved);

    expect(refused).toEqual([]);
  });
});
