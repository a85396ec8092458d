import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
  env?: Record<string, string>;
}

interface Job {
  uses?: string;
  needs?: string[];
  permissions?: Record<string, string>;
  'timeout-minutes'?: number;
  strategy?: { matrix: { node?: number[]; include?: { target: string }[] } };
  steps?: Step[];
}

interface Workflow {
  on: Record<string, unknown>;
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}

interface Updates {
  updates: { 'package-ecosystem': string; directory: string }[];
}

const root = new URL('../../', import.meta.url);
const text = (path: string) => readFileSync(new URL(path, root), 'utf8');
const WORKFLOWS = '.github/workflows/';
const workflow = (name: string) => parse(text(`${WORKFLOWS}${name}`)) as Workflow;
const names = readdirSync(new URL(WORKFLOWS, root));

describe.each(names)('the workflow %s', (name) => {
  const { on, permissions, jobs } = workflow(name);
  const steps = Object.values(jobs).flatMap((job) => job.steps ?? []);

  it('has a trigger and jobs', () => {
    expect(Object.keys(on)).not.toHaveLength(0);
    for (const job of Object.values(jobs)) expect(job.uses ?? job.steps).toBeDefined();
  });

  it('pins every action to a commit and says which version that is', () => {
    const uses = text(`${WORKFLOWS}${name}`).match(/uses: .+/g) ?? [];
    const pinned = /^uses: (\.\/\S+|[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/;

    expect(uses.filter((line) => !pinned.test(line))).toEqual([]);
  });

  it('may only read the repository, unless one job needs more', () => {
    expect(permissions).toEqual({ contents: 'read' });
  });

  it('puts no text of an event into a shell command', () => {
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
  });

  it('leaves no credentials in the work tree', () => {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));

    for (const step of checkouts) expect(step.with?.['persist-credentials']).toBe(false);
  });

  it('limits the time of every job', () => {
    for (const job of Object.values(jobs)) {
      if (job.uses === undefined) expect(job['timeout-minutes']).toBeLessThanOrEqual(30);
    }
  });

  it('runs scripts and reusable workflows that exist', () => {
    const run = steps.flatMap(
      (step) => /(\.ci\/run|scripts\/[\w-]+\.mjs)/.exec(step.run ?? '')?.[0] ?? [],
    );
    const used = Object.values(jobs).flatMap((job) => job.uses ?? []);

    for (const path of [...run, ...used])
      expect([path, existsSync(new URL(path, root))]).toEqual([path, true]);
  });
});

describe('the Node versions', () => {
  const { engines } = JSON.parse(text('package.json')) as { engines: { node: string } };
  const [, lowest, lowestMinor, next] =
    /^\^(\d+)\.(\d+) \|\| >=(\d+)\.\d+$/.exec(engines.node) ?? [];
  const tested = workflow('ci.yml').jobs['test']?.strategy?.matrix.node ?? [];

  it('are tested from the lowest of package.json upwards, the even ones only', () => {
    const even = Array.from({ length: tested.length }, (_, i) => Number(lowest) + 2 * i);

    expect(tested).toEqual(even);
    expect(tested).toContain(Number(next));
  });

  it('include the one of .nvmrc, which is the lowest of package.json', () => {
    expect(text('.nvmrc').trim()).toBe(`${lowest}.${lowestMinor}`);
  });

  it('include the one of the image', () => {
    const [, image] = /^FROM node:(\d+)/m.exec(text('Dockerfile')) ?? [];

    expect(tested).toContain(Number(image));
  });
});

describe('the check of commits', () => {
  it('checks the commits of a pull request and no older ones', () => {
    const [checkout, , check] = workflow('ci.yml').jobs['commits']?.steps ?? [];

    expect(checkout?.with).toMatchObject({ 'fetch-depth': 0 });
    expect(check?.run).toBe('node scripts/commits.mjs "$BASE..$HEAD"');
    expect(Object.values(check?.env ?? {})).toEqual([
      '${{ github.event.pull_request.base.sha }}',
      '${{ github.event.pull_request.head.sha }}',
    ]);
  });
});

describe('a release', () => {
  const { on, jobs } = workflow('release.yml');
  const image = jobs['image'];
  const step = (action: string) =>
    (image?.steps ?? []).filter(({ uses }) => uses?.startsWith(`${action}@`));

  it('begins with a tag and waits for the version check and all tests', () => {
    expect(on).toEqual({ push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } });
    expect(image?.needs).toEqual(['version', 'test']);
    expect(jobs['test']?.uses).toBe('./.github/workflows/ci.yml');
  });

  it('gives the job that pushes what it needs, and nothing more', () => {
    expect(image?.permissions).toEqual({
      contents: 'read',
      packages: 'write',
      'id-token': 'write',
      attestations: 'write',
    });
  });

  it('builds every stage that compose builds', () => {
    const compose = text('docker-compose.yml').match(/target: (\w+)/g) ?? [];
    const targets = image?.strategy?.matrix.include?.map(({ target }) => `target: ${target}`) ?? [];

    expect(new Set(targets)).toEqual(new Set(compose));
  });

  it('signs the provenance and the SBOM of the image it has pushed', () => {
    const [build] = step('docker/build-push-action');
    const attested = step('actions/attest').map((one) => one.with ?? {});

    expect(build?.with).toMatchObject({ push: true, sbom: true, provenance: 'mode=max' });
    expect(attested.map((one) => one['subject-digest'])).toEqual(
      Array(2).fill('${{ steps.build.outputs.digest }}'),
    );
    expect(attested.map((one) => one['sbom-path'])).toEqual([undefined, 'sbom.spdx.json']);
  });
});

describe('dependency updates', () => {
  it('cover packages, actions, the base image and the images of compose', () => {
    const { updates } = parse(text('.github/dependabot.yml')) as Updates;

    expect(updates.map((one) => one['package-ecosystem'])).toEqual([
      'npm',
      'github-actions',
      'docker',
      'docker-compose',
    ]);
    expect(new Set(updates.map(({ directory }) => directory))).toEqual(new Set(['/']));
  });
});
