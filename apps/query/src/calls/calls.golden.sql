-- one call
SELECT id, project_id, trace_id, op_name, toUnixTimestamp64Micro(started_at) AS started, display_name, parent_id, thread_id, turn_id, toUnixTimestamp64Micro(ended_at) AS ended, exception, user_id, run_id, run_step, run_step_end, attributes, otel_dump, inputs, output, summary, status, toString(version) AS version, is_deleted FROM calls
PREWHERE project_id = {p0:String} AND id = {p1:String};
-- p0 = "acme/demo"
-- p1 = "c1"

-- one call, where its id says it is
SELECT id, project_id, trace_id, op_name, toUnixTimestamp64Micro(started_at) AS started, toString(version) AS version, is_deleted FROM calls
PREWHERE project_id = {p0:String} AND started_at BETWEEN fromUnixTimestamp64Micro({p1:Int64}, 'UTC') AND fromUnixTimestamp64Micro({p2:Int64}, 'UTC') AND id = {p3:String};
-- p0 = "acme/demo"
-- p1 = 1771999990000000
-- p2 = 1772000010000000
-- p3 = "c1"

-- one call with large versions
SELECT * EXCEPT is_deleted FROM (
  SELECT id, project_id, trace_id, op_name, toUnixTimestamp64Micro(started_at) AS started, is_deleted FROM calls PREWHERE project_id = {p0:String} AND id = {p1:String}
  ORDER BY version DESC, is_deleted LIMIT 1 BY started_at)
WHERE is_deleted = 0 LIMIT 1
SETTINGS query_plan_optimize_lazy_materialization = 0;
-- p0 = "acme/demo"
-- p1 = "c1"

-- the bytes of a trace
SELECT trace_id, sum(size_bytes) AS bytes FROM calls FINAL PREWHERE project_id = {p0:String} AND started_at IN (SELECT started_at FROM calls WHERE project_id = {p0:String} AND trace_id IN {p1:Array(String)}) WHERE trace_id IN {p1:Array(String)} GROUP BY trace_id;
-- p0 = "acme/demo"
-- p1 = ["t1"]

-- the newest fifty
SELECT id, project_id, trace_id, op_name, toUnixTimestamp64Micro(started_at) AS started
FROM calls FINAL
PREWHERE project_id = {p0:String} AND (started_at, id) IN (SELECT started_at, id FROM calls FINAL
  PREWHERE project_id = {p0:String} AND (started_at, id) IN (SELECT started_at, id FROM calls
    WHERE project_id = {p1:String} AND is_deleted = 0
    ORDER BY started_at DESC, id DESC LIMIT 1 BY started_at, id LIMIT {p2:UInt64})
  ORDER BY started_at DESC, id DESC LIMIT {p3:UInt64})
ORDER BY started_at DESC, id DESC
LIMIT 1 BY id
SETTINGS ignore_data_skipping_indices = 'by_op', max_block_size = 8192;
-- p0 = "acme/demo"
-- p1 = "acme/demo"
-- p2 = 75
-- p3 = 50

-- the keys of the newest fifty that contain a text
SELECT toUnixTimestamp64Micro(started_at) AS started, id FROM (SELECT started_at, id FROM calls
    WHERE project_id = {p0:String} AND (inputs LIKE {p1:String} OR inputs LIKE {p2:String}) AND is_deleted = 0
    ORDER BY started_at DESC, id DESC LIMIT 1 BY started_at, id LIMIT {p3:UInt64});
-- p0 = "acme/demo"
-- p1 = "%100\\% %"
-- p2 = "%\\\\u00%"
-- p3 = 75

-- a page deep inside, by latency
SELECT toUnixTimestamp64Micro(started_at) AS started, id FROM calls FINAL PREWHERE project_id = {p0:String}
ORDER BY if(ended_at = toDateTime64(0, 6, 'UTC'), NULL, floor((toUnixTimestamp64Micro(ended_at) - toUnixTimestamp64Micro(started_at)) / 1000)) DESC NULLS LAST, id DESC LIMIT {p1:UInt64} OFFSET {p2:UInt64};
-- p0 = "acme/demo"
-- p1 = 50
-- p2 = 100

-- one customer, hot
WITH
  text -> arrayMap(value -> if(match(value, '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$'), toFloat64OrNull(value), NULL), [text])[1] AS as_number,
  json -> arrayMap(value -> multiIf(startsWith(value, '"'), multiIf(
      position(value, '\\') = 0, substring(value, 2, length(value) - 2),
      position(lower(value), '\\ud') = 0, JSONExtractString(concat('[', value, ']'), 1),
      JSONExtractString(concat('[', arrayStringConcat(arrayMap(
        part -> if(match(part, '^\\\\u[dD][89a-fA-F]..$'), '\\ufffd', part),
        extractAll(value, '(?s)\\\\u[dD][89abAB]..\\\\u[dD][c-fC-F]..|\\\\u....|\\\\.|[^\\\\]+'))), ']'), 1)), value = 'null', '', value), [json])[1] AS plain_text,
  (json, keys, places, n) -> arrayMap(
    s -> trimRight(substring(json, s.6, s.7 - s.6), ' \t\r\n'),
    [arrayFold((s, token) -> (
        toInt32(s.1 + multiIf(ascii(token) IN (91, 123), 1, ascii(token) IN (93, 125), -1, 0)),
        toInt32(multiIf(
          ascii(token) = 58 AND s.1 <= n AND s.2 >= s.1 - 1, if(s.4 = keys[s.1], s.1, s.1 - 1),
          ascii(token) = 44 AND s.1 <= n AND s.2 >= s.1 - 1, if(s.2 < s.1 AND s.3 + 1 = places[s.1], s.1, s.1 - 1),
          ascii(token) = 91 AND s.2 = s.1 AND s.1 < n AND places[s.1 + 1] = 0, s.1 + 1,
          ascii(token) IN (93, 125), least(s.2, s.1 - 1), s.2)),
        toInt32(multiIf(
          ascii(token) = 44 AND s.1 <= n AND s.2 >= s.1 - 1, if(s.2 >= s.1, 1000000000, s.3 + 1),
          s.2 != s.1, s.3, ascii(token) = 91, 0, ascii(token) = 123, -1000000000, s.3)),
        multiIf(ascii(token) != 34, s.4, position(token, '\\') = 0, substring(token, 2, position(token, '"', 2) - 2),
          JSONExtractString(concat('[', token, ']'), 1)),
        toInt32(s.5 + length(token)),
        toInt32(multiIf(
          ascii(token) = 58 AND s.1 <= n AND s.2 >= s.1 - 1 AND s.4 = keys[s.1], if(s.1 = n, s.5 + length(token), 0),
          (ascii(token) = 44 AND s.1 = n AND s.2 = n - 1 AND s.3 + 1 = places[n])
            OR (ascii(token) = 91 AND s.2 = s.1 AND s.1 = n - 1 AND places[n] = 0), s.5 + length(token), s.6)),
        toInt32(multiIf(
          ascii(token) = 58 AND s.1 <= n AND s.2 >= s.1 - 1 AND s.4 = keys[s.1], 0,
          s.1 = n AND s.6 > 0 AND s.7 = 0 AND ascii(token) IN (44, 93, 125), s.5, s.7))),
      extractAll(json, '(?s)"(?:[^"\\\\]|\\\\.)*"\\s*|[\\[\\]{}:,]\\s*|[^\\s\\[\\]{}:,"]+\\s*'),
      (toInt32(0), toInt32(0), toInt32(0), '', toInt32(1), toInt32(0), toInt32(0)))])[1] AS json_raw
SELECT count() AS count FROM calls FINAL PREWHERE project_id = {p0:String} AND started_at IN (SELECT started_at FROM calls WHERE project_id = {p0:String} AND (((leaf_s[{p1:String}] IN {p2:Array(String)} OR false) OR (leaf_full < 2) OR (has(leaf_rest, {p3:UInt32}))) AND (ifNull((multiIf(mapContains(leaf_n, {p4:String}), toNullable(leaf_n[{p4:String}]), mapContains(leaf_s, {p4:String}), as_number(leaf_s[{p4:String}]), CAST(NULL, 'Nullable(Float64)')) > {p5:Float64}), false) OR (leaf_full < 2) OR (has(leaf_rest, {p6:UInt32}))))) WHERE ((leaf_s[{p7:String}] IN {p8:Array(String)} OR if(leaf_full < 2 OR has(leaf_rest, {p9:UInt32}), (((inputs LIKE {p10:String} OR inputs LIKE {p11:String})) AND (if(position(inputs, '\\u00') = 0 AND countSubstrings(inputs, {p12:String}) = 1 AND countSubstrings(inputs, {p13:String}) = 1 AND JSONType(inputs, {p14:String}, {p15:String}) = 'String', JSONExtractString(inputs, {p14:String}, {p15:String}), plain_text(if((position(inputs, {p16:String}) > 0 OR position(inputs, '\\u00') > 0), json_raw(inputs, {p17:Array(String)}, {p18:Array(Int32)}, {p19:Int32}), ''))) IN {p20:Array(String)})), false)) AND ifNull((multiIf(mapContains(leaf_n, {p21:String}), toNullable(leaf_n[{p21:String}]), mapContains(leaf_s, {p21:String}), as_number(leaf_s[{p21:String}]), if(leaf_full < 2 OR has(leaf_rest, {p22:UInt32}), as_number(if(position(inputs, '\\u00') = 0 AND countSubstrings(inputs, {p23:String}) = 1 AND countSubstrings(inputs, {p24:String}) = 1 AND JSONType(inputs, {p25:String}, {p26:String}) = 'String', JSONExtractString(inputs, {p25:String}, {p26:String}), plain_text(if((position(inputs, {p27:String}) > 0 OR position(inputs, '\\u00') > 0), json_raw(inputs, {p28:Array(String)}, {p29:Array(Int32)}, {p30:Int32}), '')))), NULL)) > {p31:Float64}), false));
-- p0 = "acme/demo"
-- p1 = "inputs.meta.customer"
-- p2 = ["x"]
-- p3 = 1512335223
-- p4 = "inputs.params.temperature"
-- p5 = 0.8
-- p6 = 3005124560
-- p7 = "inputs.meta.customer"
-- p8 = ["x"]
-- p9 = 1512335223
-- p10 = "%x%"
-- p11 = "%\\\\u00%"
-- p12 = "\"meta\""
-- p13 = "\"customer\""
-- p14 = "meta"
-- p15 = "customer"
-- p16 = "\"customer\""
-- p17 = ["meta","customer"]
-- p18 = [-1,-1]
-- p19 = 2
-- p20 = ["x"]
-- p21 = "inputs.params.temperature"
-- p22 = 3005124560
-- p23 = "\"params\""
-- p24 = "\"temperature\""
-- p25 = "params"
-- p26 = "temperature"
-- p27 = "\"temperature\""
-- p28 = ["params","temperature"]
-- p29 = [-1,-1]
-- p30 = 2
-- p31 = 0.8

-- whether leaves alone can tell
WITH
  text -> arrayMap(value -> if(match(value, '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$'), toFloat64OrNull(value), NULL), [text])[1] AS as_number
SELECT found FROM ((SELECT 1 AS found FROM calls WHERE project_id = {p0:String} AND ((leaf_full < 2)) AND ((ifNull((multiIf(mapContains(leaf_n, {p1:String}), toNullable(leaf_n[{p1:String}]), mapContains(leaf_s, {p1:String}), as_number(leaf_s[{p1:String}]), CAST(NULL, 'Nullable(Float64)')) > {p2:Float64}), false) OR (leaf_full < 2) OR (has(leaf_rest, {p3:UInt32}))) AND ((multiIf(mapContains(leaf_s, {p4:String}), leaf_s[{p4:String}], mapContains(leaf_b, {p4:String}), if(leaf_b[{p4:String}], 'true', 'false'), '') IN {p5:Array(String)}) OR (leaf_full < 2) OR (has(leaf_rest, {p6:UInt32})) OR (mapContains(leaf_n, {p4:String})))) LIMIT 1) UNION ALL (SELECT 1 AS found FROM calls WHERE project_id = {p0:String} AND ((has(leaf_rest, {p7:UInt32})) OR (has(leaf_rest, {p8:UInt32}))) AND ((ifNull((multiIf(mapContains(leaf_n, {p1:String}), toNullable(leaf_n[{p1:String}]), mapContains(leaf_s, {p1:String}), as_number(leaf_s[{p1:String}]), CAST(NULL, 'Nullable(Float64)')) > {p2:Float64}), false) OR (leaf_full < 2) OR (has(leaf_rest, {p3:UInt32}))) AND ((multiIf(mapContains(leaf_s, {p4:String}), leaf_s[{p4:String}], mapContains(leaf_b, {p4:String}), if(leaf_b[{p4:String}], 'true', 'false'), '') IN {p5:Array(String)}) OR (leaf_full < 2) OR (has(leaf_rest, {p6:UInt32})) OR (mapContains(leaf_n, {p4:String})))) LIMIT 1) UNION ALL (SELECT 1 AS found FROM calls WHERE project_id = {p0:String} AND ((mapContains(leaf_n, {p9:String}))) AND ((ifNull((multiIf(mapContains(leaf_n, {p1:String}), toNullable(leaf_n[{p1:String}]), mapContains(leaf_s, {p1:String}), as_number(leaf_s[{p1:String}]), CAST(NULL, 'Nullable(Float64)')) > {p2:Float64}), false) OR (leaf_full < 2) OR (has(leaf_rest, {p3:UInt32}))) AND ((multiIf(mapContains(leaf_s, {p4:String}), leaf_s[{p4:String}], mapContains(leaf_b, {p4:String}), if(leaf_b[{p4:String}], 'true', 'false'), '') IN {p5:Array(String)}) OR (leaf_full < 2) OR (has(leaf_rest, {p6:UInt32})) OR (mapContains(leaf_n, {p4:String})))) LIMIT 1)) LIMIT 1;
-- p0 = "acme/demo"
-- p1 = "inputs.model.temperature"
-- p2 = 0.8
-- p3 = 2856883215
-- p4 = "inputs.size"
-- p5 = ["7"]
-- p6 = 32609227
-- p7 = 2856883215
-- p8 = 32609227
-- p9 = "inputs.size"

-- the calls at these keys
SELECT id, project_id, trace_id, op_name, toUnixTimestamp64Micro(started_at) AS started, inputs
FROM calls FINAL
PREWHERE project_id = {p0:String} AND (started_at, id) IN (SELECT fromUnixTimestamp64Micro(key.1, 'UTC'), key.2 FROM (SELECT arrayJoin(arrayZip({p1:Array(Int64)}, {p2:Array(String)})) AS key));
-- p0 = "acme/demo"
-- p1 = [1772000000000000]
-- p2 = ["c1"]

-- all calls of an op, as they are stored
SELECT id, project_id, trace_id, op_name, toUnixTimestamp64Micro(started_at) AS started
FROM calls FINAL PREWHERE project_id = {p0:String} WHERE (op_name IN {p1:Array(String)})
ORDER BY started_at ASC, id ASC;
-- p0 = "acme/demo"
-- p1 = ["summarise"]

-- rows with a word in their prompt
WITH
  json -> arrayMap(value -> multiIf(startsWith(value, '"'), multiIf(
      position(value, '\\') = 0, substring(value, 2, length(value) - 2),
      position(lower(value), '\\ud') = 0, JSONExtractString(concat('[', value, ']'), 1),
      JSONExtractString(concat('[', arrayStringConcat(arrayMap(
        part -> if(match(part, '^\\\\u[dD][89a-fA-F]..$'), '\\ufffd', part),
        extractAll(value, '(?s)\\\\u[dD][89abAB]..\\\\u[dD][c-fC-F]..|\\\\u....|\\\\.|[^\\\\]+'))), ']'), 1)), value = 'null', '', value), [json])[1] AS plain_text,
  (json, keys, places, n) -> arrayMap(
    s -> trimRight(substring(json, s.6, s.7 - s.6), ' \t\r\n'),
    [arrayFold((s, token) -> (
        toInt32(s.1 + multiIf(ascii(token) IN (91, 123), 1, ascii(token) IN (93, 125), -1, 0)),
        toInt32(multiIf(
          ascii(token) = 58 AND s.1 <= n AND s.2 >= s.1 - 1, if(s.4 = keys[s.1], s.1, s.1 - 1),
          ascii(token) = 44 AND s.1 <= n AND s.2 >= s.1 - 1, if(s.2 < s.1 AND s.3 + 1 = places[s.1], s.1, s.1 - 1),
          ascii(token) = 91 AND s.2 = s.1 AND s.1 < n AND places[s.1 + 1] = 0, s.1 + 1,
          ascii(token) IN (93, 125), least(s.2, s.1 - 1), s.2)),
        toInt32(multiIf(
          ascii(token) = 44 AND s.1 <= n AND s.2 >= s.1 - 1, if(s.2 >= s.1, 1000000000, s.3 + 1),
          s.2 != s.1, s.3, ascii(token) = 91, 0, ascii(token) = 123, -1000000000, s.3)),
        multiIf(ascii(token) != 34, s.4, position(token, '\\') = 0, substring(token, 2, position(token, '"', 2) - 2),
          JSONExtractString(concat('[', token, ']'), 1)),
        toInt32(s.5 + length(token)),
        toInt32(multiIf(
          ascii(token) = 58 AND s.1 <= n AND s.2 >= s.1 - 1 AND s.4 = keys[s.1], if(s.1 = n, s.5 + length(token), 0),
          (ascii(token) = 44 AND s.1 = n AND s.2 = n - 1 AND s.3 + 1 = places[n])
            OR (ascii(token) = 91 AND s.2 = s.1 AND s.1 = n - 1 AND places[n] = 0), s.5 + length(token), s.6)),
        toInt32(multiIf(
          ascii(token) = 58 AND s.1 <= n AND s.2 >= s.1 - 1 AND s.4 = keys[s.1], 0,
          s.1 = n AND s.6 > 0 AND s.7 = 0 AND ascii(token) IN (44, 93, 125), s.5, s.7))),
      extractAll(json, '(?s)"(?:[^"\\\\]|\\\\.)*"\\s*|[\\[\\]{}:,]\\s*|[^\\s\\[\\]{}:,"]+\\s*'),
      (toInt32(0), toInt32(0), toInt32(0), '', toInt32(1), toInt32(0), toInt32(0)))])[1] AS json_raw
SELECT toUnixTimestamp64Micro(started_at) AS started, id, version FROM calls
PREWHERE project_id = {p0:String} AND is_deleted = 0 AND (inputs LIKE {p1:String} OR inputs LIKE {p2:String}) WHERE ((inputs LIKE {p3:String} OR inputs LIKE {p4:String}) AND if(mapContains(leaf_s, {p5:String}), position(leaf_s[{p5:String}], {p6:String}) > 0, if(leaf_full < 2 OR has(leaf_rest, {p7:UInt32}) OR mapContains(leaf_n, {p5:String}) OR mapContains(leaf_b, {p5:String}), ((inputs LIKE {p8:String} OR inputs LIKE {p9:String}) AND position(if(position(inputs, '\\u00') = 0 AND countSubstrings(inputs, {p10:String}) = 1 AND JSONType(inputs, {p11:String}) = 'String', JSONExtractString(inputs, {p11:String}), plain_text(if((position(inputs, {p12:String}) > 0 OR position(inputs, '\\u00') > 0), json_raw(inputs, {p13:Array(String)}, {p14:Array(Int32)}, {p15:Int32}), ''))), {p16:String}) > 0), false))) LIMIT {p17:UInt64};
-- p0 = "acme/demo"
-- p1 = "%100\\% %"
-- p2 = "%\\\\u00%"
-- p3 = "%100\\% %"
-- p4 = "%\\\\u00%"
-- p5 = "inputs.prompt"
-- p6 = "100% \"sure\""
-- p7 = 1660174928
-- p8 = "%100\\% %"
-- p9 = "%\\\\u00%"
-- p10 = "\"prompt\""
-- p11 = "prompt"
-- p12 = "\"prompt\""
-- p13 = ["prompt"]
-- p14 = [-1]
-- p15 = 1
-- p16 = "100% \"sure\""
-- p17 = 10001

-- the newest at the keys that were found
SELECT started, id, newest.1 AS version, newest.3 AS size_bytes FROM (
  SELECT toUnixTimestamp64Micro(started_at) AS started, id, max((version, is_deleted = 0, size_bytes)) AS newest FROM calls
  PREWHERE project_id = {p0:String} AND started_at IN (SELECT fromUnixTimestamp64Micro(arrayJoin({p1:Array(Int64)}), 'UTC'))
  WHERE (started_at, id) IN (SELECT fromUnixTimestamp64Micro(key.1, 'UTC'), key.2 FROM (SELECT arrayJoin(arrayZip({p2:Array(Int64)}, {p3:Array(String)})) AS key))
  GROUP BY started_at, id)
WHERE newest.2;
-- p0 = "acme/demo"
-- p1 = [1772000000000000]
-- p2 = [1772000000000000]
-- p3 = ["c1"]

-- those of them that match as they are now
SELECT toUnixTimestamp64Micro(started_at) AS started, id, version, size_bytes
FROM calls FINAL
PREWHERE project_id = {p0:String} AND (started_at, id) IN (SELECT fromUnixTimestamp64Micro(key.1, 'UTC'), key.2 FROM (SELECT arrayJoin(arrayZip({p1:Array(Int64)}, {p2:Array(String)})) AS key)) WHERE ((display_name = {p3:String}) AND NOT (display_name = ''));
-- p0 = "acme/demo"
-- p1 = [1772000000000000]
-- p2 = ["c1"]
-- p3 = "x"

-- the refs that a condition may lead through
SELECT DISTINCT leaf_s['inputs.model'] AS ref FROM calls
WHERE project_id = {p0:String} AND (op_name IN {p1:Array(String)}) AND startsWith(ref, 'weave:///')
LIMIT {p2:UInt64};
-- p0 = "acme/demo"
-- p1 = ["summarise"]
-- p2 = 100

-- a condition that leads through refs
WITH
  text -> arrayMap(value -> if(match(value, '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$'), toFloat64OrNull(value), NULL), [text])[1] AS as_number,
  json -> arrayMap(value -> multiIf(startsWith(value, '"'), multiIf(
      position(value, '\\') = 0, substring(value, 2, length(value) - 2),
      position(lower(value), '\\ud') = 0, JSONExtractString(concat('[', value, ']'), 1),
      JSONExtractString(concat('[', arrayStringConcat(arrayMap(
        part -> if(match(part, '^\\\\u[dD][89a-fA-F]..$'), '\\ufffd', part),
        extractAll(value, '(?s)\\\\u[dD][89abAB]..\\\\u[dD][c-fC-F]..|\\\\u....|\\\\.|[^\\\\]+'))), ']'), 1)), value = 'null', '', value), [json])[1] AS plain_text,
  (json, keys, places, n) -> arrayMap(
    s -> trimRight(substring(json, s.6, s.7 - s.6), ' \t\r\n'),
    [arrayFold((s, token) -> (
        toInt32(s.1 + multiIf(ascii(token) IN (91, 123), 1, ascii(token) IN (93, 125), -1, 0)),
        toInt32(multiIf(
          ascii(token) = 58 AND s.1 <= n AND s.2 >= s.1 - 1, if(s.4 = keys[s.1], s.1, s.1 - 1),
          ascii(token) = 44 AND s.1 <= n AND s.2 >= s.1 - 1, if(s.2 < s.1 AND s.3 + 1 = places[s.1], s.1, s.1 - 1),
          ascii(token) = 91 AND s.2 = s.1 AND s.1 < n AND places[s.1 + 1] = 0, s.1 + 1,
          ascii(token) IN (93, 125), least(s.2, s.1 - 1), s.2)),
        toInt32(multiIf(
          ascii(token) = 44 AND s.1 <= n AND s.2 >= s.1 - 1, if(s.2 >= s.1, 1000000000, s.3 + 1),
          s.2 != s.1, s.3, ascii(token) = 91, 0, ascii(token) = 123, -1000000000, s.3)),
        multiIf(ascii(token) != 34, s.4, position(token, '\\') = 0, substring(token, 2, position(token, '"', 2) - 2),
          JSONExtractString(concat('[', token, ']'), 1)),
        toInt32(s.5 + length(token)),
        toInt32(multiIf(
          ascii(token) = 58 AND s.1 <= n AND s.2 >= s.1 - 1 AND s.4 = keys[s.1], if(s.1 = n, s.5 + length(token), 0),
          (ascii(token) = 44 AND s.1 = n AND s.2 = n - 1 AND s.3 + 1 = places[n])
            OR (ascii(token) = 91 AND s.2 = s.1 AND s.1 = n - 1 AND places[n] = 0), s.5 + length(token), s.6)),
        toInt32(multiIf(
          ascii(token) = 58 AND s.1 <= n AND s.2 >= s.1 - 1 AND s.4 = keys[s.1], 0,
          s.1 = n AND s.6 > 0 AND s.7 = 0 AND ascii(token) IN (44, 93, 125), s.5, s.7))),
      extractAll(json, '(?s)"(?:[^"\\\\]|\\\\.)*"\\s*|[\\[\\]{}:,]\\s*|[^\\s\\[\\]{}:,"]+\\s*'),
      (toInt32(0), toInt32(0), toInt32(0), '', toInt32(1), toInt32(0), toInt32(0)))])[1] AS json_raw
SELECT count() AS count FROM calls FINAL PREWHERE project_id = {p0:String} AND started_at IN (SELECT started_at FROM calls WHERE project_id = {p0:String} AND (ifNull((if((multiIf(mapContains(leaf_s, {p1:String}), leaf_s[{p1:String}], mapContains(leaf_b, {p1:String}), if(leaf_b[{p1:String}], 'true', 'false'), '') IN {p2:Array(String)}), as_number(plain_text(transform(multiIf(mapContains(leaf_s, {p1:String}), leaf_s[{p1:String}], mapContains(leaf_b, {p1:String}), if(leaf_b[{p1:String}], 'true', 'false'), ''), {p2:Array(String)}, {p3:Array(String)}, ''))), multiIf(mapContains(leaf_n, {p4:String}), toNullable(leaf_n[{p4:String}]), mapContains(leaf_s, {p4:String}), as_number(leaf_s[{p4:String}]), CAST(NULL, 'Nullable(Float64)'))) > {p5:Float64}), false) OR (leaf_full < 2) OR (has(leaf_rest, {p6:UInt32})) OR (mapContains(leaf_n, {p1:String})) OR (NOT (multiIf(mapContains(leaf_s, {p1:String}), leaf_s[{p1:String}], mapContains(leaf_b, {p1:String}), if(leaf_b[{p1:String}], 'true', 'false'), '') IN {p2:Array(String)}) AND (leaf_full < 2)) OR (NOT (multiIf(mapContains(leaf_s, {p1:String}), leaf_s[{p1:String}], mapContains(leaf_b, {p1:String}), if(leaf_b[{p1:String}], 'true', 'false'), '') IN {p2:Array(String)}) AND (has(leaf_rest, {p7:UInt32}))))) WHERE ifNull((if((multiIf(mapContains(leaf_s, {p8:String}), leaf_s[{p8:String}], mapContains(leaf_b, {p8:String}), if(leaf_b[{p8:String}], 'true', 'false'), if(leaf_full < 2 OR has(leaf_rest, {p9:UInt32}) OR mapContains(leaf_n, {p8:String}), if(position(inputs, '\\u00') = 0 AND countSubstrings(inputs, {p10:String}) = 1 AND JSONType(inputs, {p11:String}) = 'String', JSONExtractString(inputs, {p11:String}), plain_text(if((position(inputs, {p12:String}) > 0 OR position(inputs, '\\u00') > 0), json_raw(inputs, {p13:Array(String)}, {p14:Array(Int32)}, {p15:Int32}), ''))), '')) IN {p16:Array(String)}), as_number(plain_text(transform(multiIf(mapContains(leaf_s, {p8:String}), leaf_s[{p8:String}], mapContains(leaf_b, {p8:String}), if(leaf_b[{p8:String}], 'true', 'false'), if(leaf_full < 2 OR has(leaf_rest, {p9:UInt32}) OR mapContains(leaf_n, {p8:String}), if(position(inputs, '\\u00') = 0 AND countSubstrings(inputs, {p10:String}) = 1 AND JSONType(inputs, {p11:String}) = 'String', JSONExtractString(inputs, {p11:String}), plain_text(if((position(inputs, {p12:String}) > 0 OR position(inputs, '\\u00') > 0), json_raw(inputs, {p13:Array(String)}, {p14:Array(Int32)}, {p15:Int32}), ''))), '')), {p16:Array(String)}, {p17:Array(String)}, ''))), multiIf(mapContains(leaf_n, {p18:String}), toNullable(leaf_n[{p18:String}]), mapContains(leaf_s, {p18:String}), as_number(leaf_s[{p18:String}]), if(leaf_full < 2 OR has(leaf_rest, {p19:UInt32}), as_number(if(position(inputs, '\\u00') = 0 AND countSubstrings(inputs, {p20:String}) = 1 AND countSubstrings(inputs, {p21:String}) = 1 AND JSONType(inputs, {p22:String}, {p23:String}) = 'String', JSONExtractString(inputs, {p22:String}, {p23:String}), plain_text(if((position(inputs, {p24:String}) > 0 OR position(inputs, '\\u00') > 0), json_raw(inputs, {p25:Array(String)}, {p26:Array(Int32)}, {p27:Int32}), '')))), NULL))) > {p28:Float64}), false);
-- p0 = "acme/demo"
-- p1 = "inputs.model"
-- p2 = ["weave:///acme/demo/object/prompt:v1"]
-- p3 = ["0.9"]
-- p4 = "inputs.model.temperature"
-- p5 = 0.8
-- p6 = 4221829471
-- p7 = 2856883215
-- p8 = "inputs.model"
-- p9 = 4221829471
-- p10 = "\"model\""
-- p11 = "model"
-- p12 = "\"model\""
-- p13 = ["model"]
-- p14 = [-1]
-- p15 = 1
-- p16 = ["weave:///acme/demo/object/prompt:v1"]
-- p17 = ["0.9"]
-- p18 = "inputs.model.temperature"
-- p19 = 2856883215
-- p20 = "\"model\""
-- p21 = "\"temperature\""
-- p22 = "model"
-- p23 = "temperature"
-- p24 = "\"temperature\""
-- p25 = ["model","temperature"]
-- p26 = [-1,-1]
-- p27 = 2
-- p28 = 0.8

-- well rated by its newest score, and with any thumbs up
WITH
  text -> arrayMap(value -> if(match(value, '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$'), toFloat64OrNull(value), NULL), [text])[1] AS as_number,
  json -> arrayMap(value -> multiIf(startsWith(value, '"'), multiIf(
      position(value, '\\') = 0, substring(value, 2, length(value) - 2),
      position(lower(value), '\\ud') = 0, JSONExtractString(concat('[', value, ']'), 1),
      JSONExtractString(concat('[', arrayStringConcat(arrayMap(
        part -> if(match(part, '^\\\\u[dD][89a-fA-F]..$'), '\\ufffd', part),
        extractAll(value, '(?s)\\\\u[dD][89abAB]..\\\\u[dD][c-fC-F]..|\\\\u....|\\\\.|[^\\\\]+'))), ']'), 1)), value = 'null', '', value), [json])[1] AS plain_text,
  (json, keys, places, n) -> arrayMap(
    s -> trimRight(substring(json, s.6, s.7 - s.6), ' \t\r\n'),
    [arrayFold((s, token) -> (
        toInt32(s.1 + multiIf(ascii(token) IN (91, 123), 1, ascii(token) IN (93, 125), -1, 0)),
        toInt32(multiIf(
          ascii(token) = 58 AND s.1 <= n AND s.2 >= s.1 - 1, if(s.4 = keys[s.1], s.1, s.1 - 1),
          ascii(token) = 44 AND s.1 <= n AND s.2 >= s.1 - 1, if(s.2 < s.1 AND s.3 + 1 = places[s.1], s.1, s.1 - 1),
          ascii(token) = 91 AND s.2 = s.1 AND s.1 < n AND places[s.1 + 1] = 0, s.1 + 1,
          ascii(token) IN (93, 125), least(s.2, s.1 - 1), s.2)),
        toInt32(multiIf(
          ascii(token) = 44 AND s.1 <= n AND s.2 >= s.1 - 1, if(s.2 >= s.1, 1000000000, s.3 + 1),
          s.2 != s.1, s.3, ascii(token) = 91, 0, ascii(token) = 123, -1000000000, s.3)),
        multiIf(ascii(token) != 34, s.4, position(token, '\\') = 0, substring(token, 2, position(token, '"', 2) - 2),
          JSONExtractString(concat('[', token, ']'), 1)),
        toInt32(s.5 + length(token)),
        toInt32(multiIf(
          ascii(token) = 58 AND s.1 <= n AND s.2 >= s.1 - 1 AND s.4 = keys[s.1], if(s.1 = n, s.5 + length(token), 0),
          (ascii(token) = 44 AND s.1 = n AND s.2 = n - 1 AND s.3 + 1 = places[n])
            OR (ascii(token) = 91 AND s.2 = s.1 AND s.1 = n - 1 AND places[n] = 0), s.5 + length(token), s.6)),
        toInt32(multiIf(
          ascii(token) = 58 AND s.1 <= n AND s.2 >= s.1 - 1 AND s.4 = keys[s.1], 0,
          s.1 = n AND s.6 > 0 AND s.7 = 0 AND ascii(token) IN (44, 93, 125), s.5, s.7))),
      extractAll(json, '(?s)"(?:[^"\\\\]|\\\\.)*"\\s*|[\\[\\]{}:,]\\s*|[^\\s\\[\\]{}:,"]+\\s*'),
      (toInt32(0), toInt32(0), toInt32(0), '', toInt32(1), toInt32(0), toInt32(0)))])[1] AS json_raw
SELECT count() AS count FROM calls FINAL PREWHERE project_id = {p0:String} WHERE (ifNull((as_number(plain_text(transform(id, (SELECT (groupArray(call_id), groupArray(if((position(said, {p1:String}) > 0 OR position(said, '\\u00') > 0), json_raw(said, {p2:Array(String)}, {p3:Array(Int32)}, {p4:Int32}), ''))) FROM (SELECT call_id, argMax(payload, (created_at, id)) AS said FROM feedback FINAL WHERE project_id = {p5:String} AND call_id != '' AND feedback_type = {p6:String} GROUP BY call_id)).1, (SELECT (groupArray(call_id), groupArray(if((position(said, {p1:String}) > 0 OR position(said, '\\u00') > 0), json_raw(said, {p2:Array(String)}, {p3:Array(Int32)}, {p4:Int32}), ''))) FROM (SELECT call_id, argMax(payload, (created_at, id)) AS said FROM feedback FINAL WHERE project_id = {p5:String} AND call_id != '' AND feedback_type = {p6:String} GROUP BY call_id)).2, ''))) > {p7:Float64}), false) AND (id IN (SELECT call_id FROM feedback FINAL WHERE project_id = {p8:String} AND call_id != '' AND feedback_type = {p9:String} AND (((payload LIKE {p10:String} OR payload LIKE {p11:String})) AND (if(position(payload, '\\u00') = 0 AND countSubstrings(payload, {p12:String}) = 1 AND JSONType(payload, {p13:String}) = 'String', JSONExtractString(payload, {p13:String}), plain_text(if((position(payload, {p14:String}) > 0 OR position(payload, '\\u00') > 0), json_raw(payload, {p15:Array(String)}, {p16:Array(Int32)}, {p17:Int32}), ''))) IN {p18:Array(String)})))));
-- p0 = "acme/demo"
-- p1 = "\"value\""
-- p2 = ["value"]
-- p3 = [-1]
-- p4 = 1
-- p5 = "acme/demo"
-- p6 = "score"
-- p7 = 3
-- p8 = "acme/demo"
-- p9 = "wandb.reaction.1"
-- p10 = "%👍%"
-- p11 = "%\\\\u%"
-- p12 = "\"emoji\""
-- p13 = "emoji"
-- p14 = "\"emoji\""
-- p15 = ["emoji"]
-- p16 = [-1]
-- p17 = 1
-- p18 = ["👍"]

-- all calls of a project
SELECT count() AS count, sum(size_bytes) AS bytes FROM calls FINAL PREWHERE project_id = {p0:String};
-- p0 = "acme/demo"

-- all calls, up to a limit
SELECT count() AS count, sum(size_bytes) AS bytes FROM (SELECT size_bytes FROM calls FINAL PREWHERE project_id = {p0:String} LIMIT {p1:UInt64});
-- p0 = "acme/demo"
-- p1 = 100

-- lists that are empty or null are no condition, except of threads and turns
SELECT count() AS count, sum(size_bytes) AS bytes FROM calls FINAL PREWHERE project_id = {p0:String} WHERE thread_id IN {p1:Array(String)} AND turn_id IN {p2:Array(String)};
-- p0 = "acme/demo"
-- p1 = []
-- p2 = []

-- every condition at once
SELECT count() AS count, sum(size_bytes) AS bytes FROM calls FINAL PREWHERE project_id = {p0:String} AND started_at IN (SELECT started_at FROM calls WHERE project_id = {p0:String} AND (op_name IN {p1:Array(String)}) AND (hasAny(input_refs, {p2:Array(String)})) AND (hasAny(output_refs, {p3:Array(String)})) AND parent_id IN {p4:Array(String)} AND trace_id IN {p5:Array(String)} AND id IN {p6:Array(String)} AND thread_id IN {p7:Array(String)} AND turn_id IN {p8:Array(String)} AND parent_id = '' AND user_id IN {p9:Array(String)} AND run_id IN {p10:Array(String)}) WHERE (op_name IN {p1:Array(String)}) AND (hasAny(input_refs, {p2:Array(String)})) AND (hasAny(output_refs, {p3:Array(String)})) AND parent_id IN {p4:Array(String)} AND trace_id IN {p5:Array(String)} AND id IN {p6:Array(String)} AND thread_id IN {p7:Array(String)} AND turn_id IN {p8:Array(String)} AND parent_id = '' AND user_id IN {p9:Array(String)} AND run_id IN {p10:Array(String)};
-- p0 = "acme/demo"
-- p1 = ["summarise","weave:///acme/demo/op/respond:v1"]
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
SELECT count() AS count, sum(size_bytes) AS bytes FROM calls FINAL PREWHERE project_id = {p0:String} AND started_at IN (SELECT started_at FROM calls WHERE project_id = {p0:String} AND (arrayExists(prefix -> startsWith(op_name, prefix), {p1:Array(String)})) AND (arrayExists(ref -> arrayExists(prefix -> startsWith(ref, prefix), {p2:Array(String)}), input_refs))) WHERE (arrayExists(prefix -> startsWith(op_name, prefix), {p1:Array(String)})) AND (arrayExists(ref -> arrayExists(prefix -> startsWith(ref, prefix), {p2:Array(String)}), input_refs));
-- p0 = "acme/demo"
-- p1 = ["weave:///acme/demo/op/respond:"]
-- p2 = ["weave:///acme/demo/object/prompt:"]

-- this version or any version of another
SELECT count() AS count, sum(size_bytes) AS bytes FROM (SELECT size_bytes FROM calls FINAL PREWHERE project_id = {p0:String} AND started_at IN (SELECT started_at FROM calls WHERE project_id = {p0:String} AND (op_name IN {p1:Array(String)} OR arrayExists(prefix -> startsWith(op_name, prefix), {p2:Array(String)})) AND (hasAny(output_refs, {p3:Array(String)}) OR arrayExists(ref -> arrayExists(prefix -> startsWith(ref, prefix), {p4:Array(String)}), output_refs))) WHERE (op_name IN {p1:Array(String)} OR arrayExists(prefix -> startsWith(op_name, prefix), {p2:Array(String)})) AND (hasAny(output_refs, {p3:Array(String)}) OR arrayExists(ref -> arrayExists(prefix -> startsWith(ref, prefix), {p4:Array(String)}), output_refs)) LIMIT {p5:UInt64});
-- p0 = "acme/demo"
-- p1 = ["summarise"]
-- p2 = ["weave:///acme/demo/op/respond:"]
-- p3 = ["weave:///acme/demo/object/prompt:v1"]
-- p4 = ["weave:///acme/demo/object/prompt:"]
-- p5 = 1
