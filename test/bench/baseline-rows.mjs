// Rows of `calls` as a plain server would make them: one row per event, with the columns that Heddle's worker fills. An
// end replaces its start instead of being folded with it, which is less work than Heddle does.

const STRING_MAX = 256;

export const INSERT_SETTINGS = { date_time_input_format: 'best_effort' };

export function rowOf({ mode, req }) {
  return mode === 'start' ? startRow(req.start) : endRow(req.end);
}

function startRow(start) {
  return {
    ...identity(start),
    op_name: start.op_name,
    op_id: start.op_name.split(':').slice(0, 2).join(':'),
    attributes: JSON.stringify(start.attributes),
    inputs: JSON.stringify(start.inputs),
    input_refs: refsIn(start.inputs),
    ...leaves({ attributes: start.attributes, inputs: start.inputs }),
    version: 1,
    is_deleted: 0,
  };
}

function endRow(end) {
  const usage = Object.entries(end.summary.usage ?? {});
  return {
    ...identity(end),
    ended_at: end.ended_at,
    status: 'success',
    output: JSON.stringify(end.output),
    summary: JSON.stringify(end.summary),
    output_refs: refsIn(end.output),
    usage_model: usage.map(([model]) => model),
    usage_requests: usage.map(([, { requests }]) => requests),
    usage_prompt: usage.map(([, { prompt_tokens }]) => prompt_tokens),
    usage_uncached: usage.map(([, { prompt_tokens }]) => prompt_tokens),
    usage_cache_read: usage.map(() => 0),
    usage_cache_write: usage.map(() => 0),
    usage_completion: usage.map(([, { completion_tokens }]) => completion_tokens),
    usage_total: usage.map(([, { total_tokens }]) => total_tokens),
    ...leaves({ output: end.output, summary: end.summary }),
    version: 2,
    is_deleted: 0,
  };
}

function identity({ project_id, id, trace_id, started_at }) {
  return { project_id, id, trace_id, started_at, user_id: 'ann' };
}

function leaves(values) {
  const row = { leaf_s: {}, leaf_n: {}, leaf_b: {}, leaf_full: 1 };
  for (const [field, value] of Object.entries(values)) addLeaves(row, field, value);
  return row;
}

function addLeaves(row, path, value) {
  if (typeof value === 'string') {
    if (value.length <= STRING_MAX) row.leaf_s[path] = value;
    else row.leaf_full = 0;
  } else if (typeof value === 'number') row.leaf_n[path] = value;
  else if (typeof value === 'boolean') row.leaf_b[path] = value;
  else if (value !== null && typeof value === 'object') {
    for (const [key, part] of Object.entries(value)) addLeaves(row, `${path}.${key}`, part);
  }
}

function refsIn(value, found = []) {
  if (typeof value === 'string') {
    if (value.startsWith('weave:///')) found.push(value);
  } else if (value !== null && typeof value === 'object') {
    for (const part of Object.values(value)) refsIn(part, found);
  }
  return found;
}
