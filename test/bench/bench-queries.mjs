// The queries of `npm run bench:query`: each as a request to Heddle and as SQL on the classic layout.
import { bigTraceOf, PROJECT } from './query-data.mjs';

const query = ($expr) => ({ query: { $expr } });
const field = ($getField) => ({ $getField });
const literal = ($literal) => ({ $literal });
const converted = (path) => ({ $convert: { input: field(path), to: 'double' } });
const newest = { sort_by: [{ field: 'started_at', direction: 'desc' }] };
const OP = 'weave:///bench/large/op/op2:v2';

/** Twenty customers and twenty temperatures. */
const manyConditions = Array.from({ length: 20 }, (_, i) => [
  {
    expr: { $eq: [field('inputs.meta.customer'), literal(`c${i}`)] },
    classic: `JSONExtractString(any(inputs_dump), 'meta', 'customer') = 'c${i}'`,
  },
  {
    expr: { $eq: [field('inputs.params.temperature'), literal(i / 20)] },
    classic: `JSONExtractFloat(any(inputs_dump), 'params', 'temperature') = ${i / 20}`,
  },
]).flat();

/** `someId` is the id of a call in the middle. An `interactive` query has a limit for its latency. */
export function queries(calls, someId) {
  const deep = calls / 10;
  const isDown = 'feedback.[wandb.reaction.1].payload.emoji';
  return [
    {
      name: 'read by id',
      ...request('/call/read', { id: someId }),
      classic: merged(`AND id = '${someId}'`),
      interactive: true,
      leastRatio: 1,
    },
    {
      name: 'latest 50',
      ...list({ ...newest, limit: 50 }),
      classic: merged('', 'ORDER BY started_at DESC LIMIT 50'),
      interactive: true,
    },
    {
      name: 'latest 50 roots of one op',
      ...list({ ...newest, limit: 50, filter: { op_names: [OP], trace_roots_only: true } }),
      classic: merged(
        '',
        `HAVING op_name = '${OP}' AND parent_id = '' ORDER BY started_at DESC LIMIT 50`,
      ),
      interactive: true,
    },
    {
      name: `offset ${deep}`,
      ...list({ ...newest, limit: 50, offset: deep }),
      classic: merged('', `ORDER BY started_at DESC LIMIT 50 OFFSET ${deep}`),
      interactive: true,
    },
    { name: 'count all', ...count({}), classic: counted(''), interactive: true },
    {
      name: 'count by op',
      ...count({ filter: { op_names: [OP] } }),
      classic: counted(`HAVING any(op_name) = '${OP}'`),
      interactive: true,
    },
    {
      name: 'count errors',
      ...count(query({ $eq: [field('summary.weave.status'), literal('error')] })),
      classic: counted('HAVING any(exception) IS NOT NULL'),
      interactive: true,
    },
    {
      name: 'inputs.meta.customer = c7',
      ...count(query({ $eq: [field('inputs.meta.customer'), literal('c7')] })),
      classic: counted(`HAVING JSONExtractString(any(inputs_dump), 'meta', 'customer') = 'c7'`),
      interactive: true,
    },
    {
      name: 'inputs.params.temperature > 0.8',
      ...count(query({ $gt: [field('inputs.params.temperature'), literal(0.8)] })),
      classic: counted(`HAVING JSONExtractFloat(any(inputs_dump), 'params', 'temperature') > 0.8`),
      interactive: true,
    },
    {
      name: '$convert of inputs.params.temperature = 0.5',
      ...count(query({ $eq: [converted('inputs.params.temperature'), literal(0.5)] })),
      classic: counted(`HAVING JSONExtractFloat(any(inputs_dump), 'params', 'temperature') = 0.5`),
      interactive: true,
    },
    {
      name: '40 conditions on two paths',
      ...count(query({ $or: manyConditions.map(({ expr }) => expr) })),
      classic: counted(`HAVING ${manyConditions.map(({ classic }) => classic).join(' OR ')}`),
      interactive: true,
    },
    {
      name: '$contains on one path',
      ...count(query(contains('inputs.prompt', 'word976 is'))),
      classic: counted(
        `HAVING position(JSONExtractString(any(inputs_dump), 'prompt'), 'word976 is') > 0`,
      ),
    },
    {
      name: '$contains on a whole field',
      ...count(query(contains('output', 'response 990'))),
      classic: counted(`HAVING position(any(output_dump), 'response 990') > 0`),
    },
    {
      name: 'a 200-call trace',
      ...list({ filter: { trace_ids: ['trace-7'] } }),
      classic: merged('', `HAVING trace_id = 'trace-7' ORDER BY started_at`),
      interactive: true,
    },
    {
      name: `a ${bigTraceOf(calls)}-call trace streamed`,
      ...list({ filter: { trace_ids: ['big-trace'] } }),
      classic: merged('', `HAVING trace_id = 'big-trace' ORDER BY started_at`),
    },
    {
      name: 'sort by latency, 50',
      ...list({ sort_by: [{ field: 'summary.weave.latency_ms', direction: 'desc' }], limit: 50 }),
      classic: merged('', 'ORDER BY ended_at - started_at DESC LIMIT 50'),
    },
    {
      name: 'newest 50 with a thumb down',
      ...list({ ...newest, limit: 50, ...query({ $eq: [field(isDown), literal('👎')] }) }),
      classic: merged('', `HAVING ${thumbDown} ORDER BY started_at DESC LIMIT 50`),
      interactive: true,
    },
    {
      name: 'count with a thumb down',
      ...count(query({ $eq: [field(isDown), literal('👎')] })),
      classic: counted(`HAVING ${thumbDown}`),
      interactive: true,
    },
  ];
}

export const classicStream = (limit) => merged('', `ORDER BY started_at LIMIT ${limit}`);

const request = (path, body) => ({ path, body: { project_id: PROJECT, ...body } });
const list = (body) => request('/calls/stream_query', body);
const count = (body) => request('/calls/query_stats', body);

function contains(path, substr) {
  return { $contains: { input: field(path), substr: literal(substr) } };
}

/** The whole call, merged by the read. */
function merged(where, tail = '') {
  return `SELECT id, any(trace_id) AS trace_id, any(parent_id) AS parent_id, any(op_name) AS op_name, any(started_at) AS started_at,
    any(ended_at) AS ended_at, any(exception) AS exception, any(attributes_dump) AS attributes, any(inputs_dump) AS inputs,
    any(output_dump) AS output, any(summary_dump) AS summary
  FROM call_parts WHERE project_id = '${PROJECT}' ${where} GROUP BY project_id, id ${tail}`;
}

function counted(having) {
  return `SELECT count() AS count FROM (SELECT id FROM call_parts WHERE project_id = '${PROJECT}' GROUP BY project_id, id ${having})`;
}

const thumbDown = `concat('weave:///', project_id, '/call/', id) IN (
  SELECT weave_ref FROM feedback_by_ref WHERE project_id = '${PROJECT}' AND feedback_type = 'wandb.reaction.1'
    AND JSONExtractString(payload_dump, 'emoji') = '👎')`;
