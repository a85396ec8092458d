// `npm run docs` generates the reference pages and the gateway's configuration from the code.
// Specs assert that both are up to date.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import 'reflect-metadata';
import {
  gatewayRoutes,
  interfaceDocument,
} from '../dist/apps/standalone/src/interface-document.js';
import { accessMatrix, accessReference } from '../dist/apps/standalone/src/access-matrix.js';
import { configReference } from '../dist/libs/config/src/config-reference.js';
import { errorReference } from '../dist/libs/http/src/error-reference.js';
import { renderGateway } from './gateway.mjs';
import { metricsReference } from './metrics-reference.mjs';

const page = (name) => new URL(`../docs/reference/${name}`, import.meta.url);

mkdirSync(page(''), { recursive: true });
writeFileSync(page('access.md'), accessReference(await accessMatrix()));
writeFileSync(page('configuration.md'), configReference());
writeFileSync(page('errors.md'), errorReference());
writeFileSync(page('metrics.md'), metricsReference(fileURLToPath(new URL('../', import.meta.url))));
writeFileSync(page('openapi.json'), `${JSON.stringify(await interfaceDocument(), null, 2)}\n`);
const routes = await gatewayRoutes();
const deployed = (path) => new URL(`../deploy/${path}`, import.meta.url);
writeFileSync(deployed('gateway/nginx.conf'), renderGateway(routes));
writeFileSync(deployed('helm/heddle/files/nginx.conf'), renderGateway(routes, 'helm'));
process.exit(0);
