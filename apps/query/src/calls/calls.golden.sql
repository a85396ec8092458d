-- one call
SELECT id, project_id, trace_id, parent_id, thread_id, turn_id, op_name, display_name,
  toUnixTimestamp64Micro(started_at) AS started, toUnixTimestamp64Micro(ended_at) AS ended,
  status, exception, user_id, run_id, run_step, run_step_end,
  attributes, inputs, output, summary, otel_dump, size_bytes
FROM calls FINAL
WHERE project_id = {p0:String}
  AND (started_at, id) IN (SELECT started_at, id FROM calls WHERE project_id = {p1:String} AND id = {p2:String})
LIMIT 1 BY id;
-- p0 = "acme/demo"
-- p1 = "acme/demo"
-- p2 = "c1"

-- the bytes of a trace
SELECT sum(size_bytes) AS bytes FROM calls FINAL
WHERE project_id = {p0:String} AND trace_id IN {p1:Array(String)};
-- p0 = "acme/demo"
-- p1 = ["t1"]

-- all calls of a project
SELECT count() AS count, sum(size_bytes) AS bytes FROM calls FINAL WHERE project_id = {p0:String};
-- p0 = "acme/demo"

-- all calls, up to a limit
SELECT count() AS count, sum(size_bytes) AS bytes
FROM (SELECT size_bytes FROM calls FINAL WHERE project_id = {p0:String} LIMIT {p1:UInt64});
-- p0 = "acme/demo"
-- p1 = 100

-- lists that are empty or null are no condition, except of threads and turns
SELECT count() AS count, sum(size_bytes) AS bytes FROM calls FINAL WHERE project_id = {p0:String} AND thread_id IN {p1:Array(String)} AND turn_id IN {p2:Array(String)};
-- p0 = "acme/demo"
-- p1 = []
-- p2 = []

-- every condition at once
SELECT count() AS count, sum(size_bytes) AS bytes FROM calls FINAL WHERE project_id = {p0:String} AND (op_name IN {p1:Array(String)}) AND (hasAny(input_refs, {p2:Array(String)})) AND (hasAny(output_refs, {p3:Array(String)})) AND parent_id IN {p4:Array(String)} AND trace_id IN {p5:Array(String)} AND id IN {p6:Array(String)} AND thread_id IN {p7:Array(String)} AND turn_id IN {p8:Array(String)} AND parent_id = '' AND user_id IN {p9:Array(String)} AND run_id IN {p10:Array(String)};
-- p0 = "acme/demo"
-- p1 = ["summarise","weave:///acme/demo/op/answer:v1"]
-- p2 = ["weave:///acme/demo/object/prompt:v1"]
-- p3 = ["weave:///acme/demo/object/prompt:v2"]
-- p4 = ["c0"]
-- p5 = ["t1","t2"]
-- p6 = ["c1"]
-- p7 = ["th1"]
-- p8 = ["tu1"]
-- p9 = ["ann"]
-- p10 = ["acme/demo/r1","other/project/r2"]

-- any version
SELECT count() AS count, sum(size_bytes) AS bytes FROM calls FINAL WHERE project_id = {p0:String} AND (arrayExists(prefix -> startsWith(op_name, prefix), {p1:Array(String)})) AND (arrayExists(ref -> arrayExists(prefix -> startsWith(ref, prefix), {p2:Array(String)}), input_refs));
-- p0 = "acme/demo"
-- p1 = ["weave:///acme/demo/op/answer:"]
-- p2 = ["weave:///acme/demo/object/prompt:"]

-- this version or any version of another
SELECT count() AS count, sum(size_bytes) AS bytes
FROM (SELECT size_bytes FROM calls FINAL WHERE project_id = {p0:String} AND (op_name IN {p1:Array(String)} OR arrayExists(prefix -> startsWith(op_name, prefix), {p2:Array(String)})) AND (hasAny(output_refs, {p3:Array(String)}) OR arrayExists(ref -> arrayExists(prefix -> startsWith(ref, prefix), {p4:Array(String)}), output_refs)) LIMIT {p5:UInt64});
-- p0 = "acme/demo"
-- p1 = ["summarise"]
-- p2 = ["weave:///acme/demo/op/answer:"]
-- p3 = ["weave:///acme/demo/object/prompt:v1"]
-- p4 = ["weave:///acme/demo/object/prompt:"]
-- p5 = 1
