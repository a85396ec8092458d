import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { packageRoot } from '@app/config';

/** A file of the page with its compressed forms. The build makes them. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Content encoding → bytes, the smallest first. */
  readonly encoded: ReadonlyMap<string, Buffer>;
}

export interface PageIndex {
  readonly bytes: Buffer;
  readonly etag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const ENCODINGS: readonly (readonly [encoding: string, suffix: string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
];

/** The built page of apps/web, read at the first request. It is small, so it stays in memory. */
@Injectable()
export class PageFiles {
  private readonly directory = join(packageRoot(), 'dist/apps/web');
  private loaded:
    { readonly index: PageIndex; readonly assets: ReadonlyMap<string, PageFile> } | undefined;

  index(): PageIndex {
    return this.load().index;
  }

  asset(name: string): PageFile | undefined {
    return this.load().assets.get(name);
  }

  private load() {
    if (this.loaded) return this.loaded;
    const bytes = readFileSync(join(this.directory, 'index.html'));
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
    return (this.loaded = { index: { bytes, etag }, assets: this.assets() });
  }

  private assets(): ReadonlyMap<string, PageFile> {
    const directory = join(this.directory, 'assets');
    const names = new Set(readdirSync(directory));
    const read = (name: string) => readFileSync(join(directory, name));
    return new Map(
      [...names].flatMap((name): [string, PageFile][] => {
        const type = TYPES[extname(name)];
        if (type === undefined) return [];
        const encoded = ENCODINGS.filter(([, suffix]) => names.has(name + suffix));
        return [
          [
            name,
            {
              type,
              bytes: read(name),
              encoded: new Map(
                encoded.map(([encoding, suffix]) => [encoding, read(name + suffix)]),
              ),
            },
          ],
        ];
      }),
    );
  }
}
