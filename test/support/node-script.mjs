import { fileURLToPath } from 'node:url';

/** What `npm start` and `npm run start:…` run: node with the settings of its allocator. */
export const NODE_SCRIPT = fileURLToPath(new URL('../../scripts/node.sh', import.meta.url));
