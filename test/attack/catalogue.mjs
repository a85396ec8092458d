import abandonedQueries from './attacks/abandoned-queries.mjs';
import allowedBatches from './attacks/allowed-batches.mjs';
import allowedTables from './attacks/allowed-tables.mjs';
import bombs from './attacks/bombs.mjs';
import contains from './attacks/contains.mjs';
import digestLists from './attacks/digest-lists.mjs';
import emptyRows from './attacks/empty-rows.mjs';
import endsWithoutStarts from './attacks/ends-without-starts.mjs';
import expandedColumns from './attacks/expanded-columns.mjs';
import halfRequests from './attacks/half-requests.mjs';
import hugeOffsets from './attacks/huge-offsets.mjs';
import junkItems from './attacks/junk-items.mjs';
import manyKeys from './attacks/many-keys.mjs';
import manyProjects from './attacks/many-projects.mjs';
import newProjects from './attacks/new-projects.mjs';
import objectKeys from './attacks/object-keys.mjs';
import openTails from './attacks/open-tails.mjs';
import pageReads from './attacks/page-reads.mjs';
import payloadConditions from './attacks/payload-conditions.mjs';
import payloadSorts from './attacks/payload-sorts.mjs';
import plainJunkItems from './attacks/plain-junk-items.mjs';
import repeatedRefs from './attacks/repeated-refs.mjs';
import slowBodies from './attacks/slow-bodies.mjs';
import tableRows from './attacks/table-rows.mjs';
import tooLargeBodies from './attacks/too-large-bodies.mjs';
import unreadStreams from './attacks/unread-streams.mjs';

/**
 * Every attack. To add one, write `attacks/<name>.mjs` and list it here. Its default export has:
 *
 * - `name` and `what`, one line for the report;
 * - `role`: the weakest role of an API key that suffices, or `none` for requests without a key;
 * - `clients`: how many clients attack at once;
 * - `keys`, optional: how many API keys of this role the attacker has;
 * - `prepare(target)`, optional: stores or computes what the attack needs, before anything is measured;
 * - `attack(target)`: sends one request and resolves with its outcome. Each client repeats it until the time is over.
 *
 * A target has `url`, `port`, `project`, `send(path, body, headers)` with the key of the attacker, `owner.send` with a key of
 * role `write` for the same project, `key`, `keys`, `signal`, `client` (a number), and `prepared`, which `prepare` has returned.
 */
export const ATTACKS = [
  abandonedQueries,
  allowedBatches,
  allowedTables,
  bombs,
  contains,
  digestLists,
  emptyRows,
  endsWithoutStarts,
  expandedColumns,
  halfRequests,
  hugeOffsets,
  junkItems,
  manyKeys,
  manyProjects,
  newProjects,
  objectKeys,
  openTails,
  pageReads,
  payloadConditions,
  payloadSorts,
  plainJunkItems,
  repeatedRefs,
  slowBodies,
  tableRows,
  tooLargeBodies,
  unreadStreams,
];

export const attackNamed = (name) => ATTACKS.find((attack) => attack.name === name);
