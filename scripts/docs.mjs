// Writes what is made from code, the reference pages and the gateway's configuration: `npm run docs`.
// Specs assert that they are up to date.
import { mkdirSync, writeFileSync } from 'node:fs';
import 'reflect-metadata';
import { renderGateway } from './gateway.mjs';

const dist = (path) => import(new URL(`../dist/${path}`, import.meta.url).href);
const page = (name) => new URL(`../docs/reference/${name}`, import.meta.url);

const { configReference } = await dist('libs/config/src/index.js');
const { errorReference } = await dist('libs/http/src/index.js');
const { gatewayRoutes, interfaceDocument } = await dist(
  'apps/standalone/src/interface-document.js',
);

mkdirSync(page(''), { recursive: true });
writeFileSync(page('configuration.md'), configReference());
writeFileSync(page('errors.md'), errorReference());
writeFileSync(page('openapi.json'), `${JSON.stringify(await interfaceDocument(), null, 2)}\n`);
writeFileSync(
  new URL('../deploy/gateway/nginx.conf', import.meta.url),
  renderGateway(await gatewayRoutes()),
);
process.exit(0);
