import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { packageRoot } from '@app/config';

/** The document of the whole interface: committed, and checked against the controllers by a test. */
export const openApiFile = (): string => join(packageRoot(), 'docs/reference/openapi.json');

/** Serves the document at /openapi.json and a page to browse it at /docs; no key needed. */
export function serveDocs(app: NestFastifyApplication): void {
  const document = JSON.parse(readFileSync(openApiFile(), 'utf8')) as OpenAPIObject;
  SwaggerModule.setup('docs', app, document, {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'Heddle API',
  });
}
