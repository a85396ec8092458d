#!/usr/bin/env node
// Prints what CHANGELOG.md says about the version of a tag:
//   node scripts/release-notes.mjs v0.1.0
// The script fails when the tag is not the version in package.json, or when the changelog has no dated section for it.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** The text of the section of a version; throws when there is no such section or it is empty. */
export function releaseNotes(changelog, version) {
  const sections = changelog.split(/^(?=## )/m);
  const heading = `## [${version}] - `;
  const section = sections.find((text) => text.startsWith(heading));
  if (section === undefined) throw new Error(`CHANGELOG.md has no dated section "${heading}…".`);
  const notes = section.slice(section.indexOf('\n'));
  if (!/^- /m.test(notes)) throw new Error(`CHANGELOG.md says nothing about ${version}.`);
  return notes.trim();
}

function main(tag = '') {
  const file = (name) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
  const { version } = JSON.parse(file('package.json'));
  if (tag !== `v${version}`) {
    throw new Error(
      `The tag is "${tag}", but package.json has version ${version}: tag v${version}.`,
    );
  }
  console.log(releaseNotes(file('CHANGELOG.md'), version));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv[2]);
