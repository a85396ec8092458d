import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { INestApplication } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { packageRoot, version } from '@app/config';

/** The OpenAPI document of the controllers of an application. */
export function openApiOf(app: INestApplication): OpenAPIObject {
  const about = new DocumentBuilder()
    .setTitle('Heddle')
    .setDescription('Trace store for LLM and agent calls. Speaks the Weave trace-server interface.')
    .setVersion(version())
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addBasicAuth(
      { type: 'http', description: 'Any username; the password is the API key.' },
      'basic',
    )
    .addBearerAuth({ type: 'http', description: 'The API key.' }, 'bearer')
    .addSecurityRequirements('basic')
    .addSecurityRequirements('bearer')
    .build();
  return SwaggerModule.createDocument(app, about, {
    operationIdFactory: (controller, method) => `${controller.replace('Controller', '')}_${method}`,
  });
}

/** The committed document of the whole interface. A test compares it with the controllers. */
const openApiFile = (): string => join(packageRoot(), 'docs/reference/openapi.json');

/** Serves the document at /openapi.json and Swagger UI at /docs. No key needed. */
export function serveDocs(app: NestFastifyApplication): void {
  const document = JSON.parse(readFileSync(openApiFile(), 'utf8')) as OpenAPIObject;
  SwaggerModule.setup('docs', app, document, {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'Heddle API',
  });
}
