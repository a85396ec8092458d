-- calls that are not hot, as far as that is known
SELECT id FROM calls WHERE project_id = {p0:String} AND ifNull(NOT (multiIf(mapContains(leaf_n, {p1:String}), toNullable(leaf_n[{p1:String}]), mapContains(leaf_s, {p1:String}), as_number(leaf_s[{p1:String}]), if(leaf_full < 2 OR has(leaf_rest, {p2:UInt32}), as_number(if(position(inputs, '\\u00') = 0 AND countSubstrings(inputs, {p3:String}) = 1 AND JSONType(inputs, {p4:String}) = 'String', JSONExtractString(inputs, {p4:String}), plain_text(if((position(inputs, {p5:String}) > 0 OR position(inputs, '\\u00') > 0), json_raw(inputs, {p6:Array(String)}, {p7:Array(Int32)}, {p8:Int32}), '')))), NULL)) > {p9:Float64}), false);
-- p0 = "acme/demo"
-- p1 = "inputs.temperature"
-- p2 = 2547788296
-- p3 = "\"temperature\""
-- p4 = "temperature"
-- p5 = "\"temperature\""
-- p6 = ["temperature"]
-- p7 = [-1]
-- p8 = 1
-- p9 = 0.8

-- a value of a payload as double
SELECT id FROM calls WHERE project_id = {p0:String} AND ifNull((multiIf(mapContains(leaf_n, {p1:String}), toNullable(leaf_n[{p1:String}]), mapContains(leaf_s, {p1:String}), as_number(leaf_s[{p1:String}]), if(leaf_full < 2 OR has(leaf_rest, {p2:UInt32}), as_number(if(position(inputs, '\\u00') = 0 AND countSubstrings(inputs, {p3:String}) = 1 AND JSONType(inputs, {p4:String}) = 'String', JSONExtractString(inputs, {p4:String}), plain_text(if((position(inputs, {p5:String}) > 0 OR position(inputs, '\\u00') > 0), json_raw(inputs, {p6:Array(String)}, {p7:Array(Int32)}, {p8:Int32}), '')))), NULL)) = {p9:Float64}), false);
-- p0 = "acme/demo"
-- p1 = "inputs.a"
-- p2 = 243667033
-- p3 = "\"a\""
-- p4 = "a"
-- p5 = "\"a\""
-- p6 = ["a"]
-- p7 = [-1]
-- p8 = 1
-- p9 = 1

-- a value of a payload as int
SELECT id FROM calls WHERE project_id = {p0:String} AND ifNull((multiIf(mapContains(leaf_n, {p1:String}), if(leaf_n[{p1:String}] = trunc(leaf_n[{p1:String}]), toNullable(toInt64(leaf_n[{p1:String}])), NULL), mapContains(leaf_s, {p1:String}), as_integer(leaf_s[{p1:String}]), if(leaf_full < 2 OR has(leaf_rest, {p2:UInt32}), as_integer(if(position(inputs, '\\u00') = 0 AND countSubstrings(inputs, {p3:String}) = 1 AND JSONType(inputs, {p4:String}) = 'String', JSONExtractString(inputs, {p4:String}), plain_text(if((position(inputs, {p5:String}) > 0 OR position(inputs, '\\u00') > 0), json_raw(inputs, {p6:Array(String)}, {p7:Array(Int32)}, {p8:Int32}), '')))), NULL)) = {p9:Float64}), false);
-- p0 = "acme/demo"
-- p1 = "inputs.a"
-- p2 = 243667033
-- p3 = "\"a\""
-- p4 = "a"
-- p5 = "\"a\""
-- p6 = ["a"]
-- p7 = [-1]
-- p8 = 1
-- p9 = 1

-- a value of a payload as bool
SELECT id FROM calls WHERE project_id = {p0:String} AND ifNull((toUInt8(multiIf(mapContains(leaf_b, {p1:String}), toNullable(leaf_b[{p1:String}]), mapContains(leaf_n, {p1:String}), multiIf(leaf_n[{p1:String}] = 1, true, leaf_n[{p1:String}] = 0, false, NULL), mapContains(leaf_s, {p1:String}), as_bool(leaf_s[{p1:String}]), if(leaf_full < 2 OR has(leaf_rest, {p2:UInt32}), as_bool(if(position(inputs, '\\u00') = 0 AND countSubstrings(inputs, {p3:String}) = 1 AND JSONType(inputs, {p4:String}) = 'String', JSONExtractString(inputs, {p4:String}), plain_text(if((position(inputs, {p5:String}) > 0 OR position(inputs, '\\u00') > 0), json_raw(inputs, {p6:Array(String)}, {p7:Array(Int32)}, {p8:Int32}), '')))), NULL))) = {p9:Float64}), false);
-- p0 = "acme/demo"
-- p1 = "inputs.a"
-- p2 = 243667033
-- p3 = "\"a\""
-- p4 = "a"
-- p5 = "\"a\""
-- p6 = ["a"]
-- p7 = [-1]
-- p8 = 1
-- p9 = 1

-- a value of a payload as string
SELECT id FROM calls WHERE project_id = {p0:String} AND ((multiIf(mapContains(leaf_s, {p1:String}), leaf_s[{p1:String}], mapContains(leaf_b, {p1:String}), if(leaf_b[{p1:String}], 'true', 'false'), if(leaf_full < 2 OR has(leaf_rest, {p2:UInt32}) OR mapContains(leaf_n, {p1:String}), if(position(inputs, '\\u00') = 0 AND countSubstrings(inputs, {p3:String}) = 1 AND JSONType(inputs, {p4:String}) = 'String', JSONExtractString(inputs, {p4:String}), plain_text(if((position(inputs, {p5:String}) > 0 OR position(inputs, '\\u00') > 0), json_raw(inputs, {p6:Array(String)}, {p7:Array(Int32)}, {p8:Int32}), ''))), '')) = {p9:String}));
-- p0 = "acme/demo"
-- p1 = "inputs.a"
-- p2 = 243667033
-- p3 = "\"a\""
-- p4 = "a"
-- p5 = "\"a\""
-- p6 = ["a"]
-- p7 = [-1]
-- p8 = 1
-- p9 = "1"

-- a value of a payload as exists
SELECT id FROM calls WHERE project_id = {p0:String} AND ((toUInt8((mapContains(leaf_s, {p1:String}) OR mapContains(leaf_n, {p1:String}) OR mapContains(leaf_b, {p1:String}) OR if(leaf_full < 2 OR has(leaf_rest, {p2:UInt32}), (if((position(inputs, {p3:String}) > 0 OR position(inputs, '\\u00') > 0), json_raw(inputs, {p4:Array(String)}, {p5:Array(Int32)}, {p6:Int32}), '') NOT IN ('', 'null')), false))) = {p7:Float64}));
-- p0 = "acme/demo"
-- p1 = "inputs.a"
-- p2 = 243667033
-- p3 = "\"a\""
-- p4 = ["a"]
-- p5 = [-1]
-- p6 = 1
-- p7 = 1

-- a timestamp as a number and as text
SELECT id FROM calls WHERE project_id = {p0:String} AND (ifNull((if(ended_at = toDateTime64(0, 6, 'UTC'), NULL, toUnixTimestamp64Micro(ended_at) / 1000000) > {p1:Float64}), false) OR ifNull((if(ended_at = toDateTime64(0, 6, 'UTC'), NULL, intDiv(toUnixTimestamp64Micro(ended_at), 1000000)) = {p2:Float64}), false) OR ifNull((position(if(ended_at = toDateTime64(0, 6, 'UTC'), NULL, concat(replaceOne(toString(ended_at), ' ', 'T'), 'Z')), {p3:String}) > 0), false));
-- p0 = "acme/demo"
-- p1 = 1.5
-- p2 = 1
-- p3 = "T10:"

-- how long a text, a list, and a value of either kind are
SELECT id FROM calls WHERE project_id = {p0:String} AND (ifNull((lengthUTF8(op_name) > {p1:Float64}), false) OR ((length(input_refs) > {p2:Float64})) OR ifNull((multiIf(mapContains(leaf_s, {p3:String}), toNullable(toInt64(lengthUTF8(leaf_s[{p3:String}]))), mapContains(leaf_n, {p3:String}) OR mapContains(leaf_b, {p3:String}), NULL, if(leaf_full < 2 OR has(leaf_rest, {p4:UInt32}), json_size(if((position(output, {p5:String}) > 0 OR position(output, '\\u00') > 0), json_raw(output, {p6:Array(String)}, {p7:Array(Int32)}, {p8:Int32}), '')), NULL)) > {p9:Float64}), false));
-- p0 = "acme/demo"
-- p1 = 3
-- p2 = 3
-- p3 = "output.rows"
-- p4 = 697659795
-- p5 = "\"rows\""
-- p6 = ["rows"]
-- p7 = [-1]
-- p8 = 1
-- p9 = 3

-- one of these texts, of these numbers, and of both
SELECT id FROM calls WHERE project_id = {p0:String} AND ((op_name IN {p1:Array(String)}) AND ifNull(((if(run_step < 0, NULL, run_step) + 0) IN {p2:Array(Float64)}), false) AND ((leaf_s[{p3:String}] IN {p4:Array(String)} OR if(leaf_full < 2 OR has(leaf_rest, {p5:UInt32}), (((inputs LIKE {p6:String} OR inputs LIKE {p7:String}) OR (inputs LIKE {p8:String} OR inputs LIKE {p9:String})) AND (if(position(inputs, '\\u00') = 0 AND countSubstrings(inputs, {p10:String}) = 1 AND JSONType(inputs, {p11:String}) = 'String', JSONExtractString(inputs, {p11:String}), plain_text(if((position(inputs, {p12:String}) > 0 OR position(inputs, '\\u00') > 0), json_raw(inputs, {p13:Array(String)}, {p14:Array(Int32)}, {p15:Int32}), ''))) IN {p16:Array(String)})), false)) OR ifNull(((multiIf(mapContains(leaf_n, {p3:String}), toNullable(leaf_n[{p3:String}]), mapContains(leaf_s, {p3:String}), as_number(leaf_s[{p3:String}]), if(leaf_full < 2 OR has(leaf_rest, {p5:UInt32}), as_number(if(position(inputs, '\\u00') = 0 AND countSubstrings(inputs, {p10:String}) = 1 AND JSONType(inputs, {p11:String}) = 'String', JSONExtractString(inputs, {p11:String}), plain_text(if((position(inputs, {p12:String}) > 0 OR position(inputs, '\\u00') > 0), json_raw(inputs, {p13:Array(String)}, {p14:Array(Int32)}, {p15:Int32}), '')))), NULL)) + 0) IN {p17:Array(Float64)}), false) OR ifNull((multiIf(mapContains(leaf_b, {p3:String}), toNullable(leaf_b[{p3:String}]), mapContains(leaf_n, {p3:String}), multiIf(leaf_n[{p3:String}] = 1, true, leaf_n[{p3:String}] = 0, false, NULL), mapContains(leaf_s, {p3:String}), as_bool(leaf_s[{p3:String}]), if(leaf_full < 2 OR has(leaf_rest, {p5:UInt32}), as_bool(if(position(inputs, '\\u00') = 0 AND countSubstrings(inputs, {p10:String}) = 1 AND JSONType(inputs, {p11:String}) = 'String', JSONExtractString(inputs, {p11:String}), plain_text(if((position(inputs, {p12:String}) > 0 OR position(inputs, '\\u00') > 0), json_raw(inputs, {p13:Array(String)}, {p14:Array(Int32)}, {p15:Int32}), '')))), NULL)) = {p18:Bool}), false)));
-- p0 = "acme/demo"
-- p1 = ["a","b"]
-- p2 = [1,2]
-- p3 = "inputs.a"
-- p4 = ["a","b"]
-- p5 = 243667033
-- p6 = "%a%"
-- p7 = "%\\\\u00%"
-- p8 = "%b%"
-- p9 = "%\\\\u00%"
-- p10 = "\"a\""
-- p11 = "a"
-- p12 = "\"a\""
-- p13 = ["a"]
-- p14 = [-1]
-- p15 = 1
-- p16 = ["a","b"]
-- p17 = [1,2]
-- p18 = true

-- without a parent, without an output
SELECT id FROM calls WHERE project_id = {p0:String} AND (NOT (NOT (parent_id = '')) AND NOT ((mapContains(leaf_s, {p1:String}) OR mapContains(leaf_n, {p1:String}) OR mapContains(leaf_b, {p1:String}) OR if(leaf_full < 2 OR has(leaf_rest, {p2:UInt32}), (output NOT IN ('', 'null')), false))));
-- p0 = "acme/demo"
-- p1 = "output"
-- p2 = 2041138948

-- started within a day, ended, and soon gone
SELECT id FROM calls WHERE project_id = {p0:String} AND (((started_at >= fromUnixTimestamp64Micro({p1:Int64}, 'UTC'))) AND ((started_at < fromUnixTimestamp64Micro({p2:Int64}, 'UTC'))) AND (NOT (ended_at = toDateTime64(0, 6, 'UTC'))) AND ((fromUnixTimestamp64Micro(toUnixTimestamp64Micro(started_at) + {p3:Int64}, 'UTC') <= fromUnixTimestamp64Micro({p4:Int64}, 'UTC'))));
-- p0 = "acme/demo"
-- p1 = 1772323200000000
-- p2 = 1772409600000000
-- p3 = 2592000000000
-- p4 = 1775037600000000

-- a word, in capitals or not
SELECT id FROM calls WHERE project_id = {p0:String} AND ((positionCaseInsensitiveUTF8(inputs, {p1:String}) > 0 OR position(inputs, '\\u') > 0) AND if(mapContains(leaf_s, {p2:String}), positionCaseInsensitiveUTF8(leaf_s[{p2:String}], {p3:String}) > 0, if(leaf_full < 2 OR has(leaf_rest, {p4:UInt32}) OR mapContains(leaf_n, {p2:String}) OR mapContains(leaf_b, {p2:String}), ((positionCaseInsensitiveUTF8(inputs, {p5:String}) > 0 OR position(inputs, '\\u') > 0) AND positionCaseInsensitiveUTF8(if(position(inputs, '\\u00') = 0 AND countSubstrings(inputs, {p6:String}) = 1 AND JSONType(inputs, {p7:String}) = 'String', JSONExtractString(inputs, {p7:String}), plain_text(if((position(inputs, {p8:String}) > 0 OR position(inputs, '\\u00') > 0), json_raw(inputs, {p9:Array(String)}, {p10:Array(Int32)}, {p11:Int32}), ''))), {p12:String}) > 0), false)));
-- p0 = "acme/demo"
-- p1 = "Word"
-- p2 = "inputs.a"
-- p3 = "Word"
-- p4 = 243667033
-- p5 = "Word"
-- p6 = "\"a\""
-- p7 = "a"
-- p8 = "\"a\""
-- p9 = ["a"]
-- p10 = [-1]
-- p11 = 1
-- p12 = "Word"

-- notes with a word, the newest first
SELECT id, payload FROM feedback FINAL
WHERE project_id = {p0:String} AND (((feedback_type = {p1:String})) AND ((payload LIKE {p2:String} OR payload LIKE {p3:String}) AND position(if(position(payload, '\\u00') = 0 AND countSubstrings(payload, {p4:String}) = 1 AND JSONType(payload, {p5:String}) = 'String', JSONExtractString(payload, {p5:String}), plain_text(if((position(payload, {p6:String}) > 0 OR position(payload, '\\u00') > 0), json_raw(payload, {p7:Array(String)}, {p8:Array(Int32)}, {p9:Int32}), ''))), {p10:String}) > 0))
ORDER BY created_at DESC NULLS LAST, id
LIMIT {p11:UInt64} OFFSET {p12:UInt64};
-- p0 = "acme/demo"
-- p1 = "wandb.note.1"
-- p2 = "%word%"
-- p3 = "%\\\\u00%"
-- p4 = "\"note\""
-- p5 = "note"
-- p6 = "\"note\""
-- p7 = ["note"]
-- p8 = [-1]
-- p9 = 1
-- p10 = "word"
-- p11 = 10
-- p12 = 0

-- expensive prices of a model
SELECT llm_id AS v0 FROM prices FINAL
WHERE level = 'project' AND level_id = {p0:String} AND (((llm_id = {p1:String}) AND NOT (llm_id = '')) AND ((toFloat64(prompt_cost) > {p2:Float64})));
-- p0 = "acme/demo"
-- p1 = "a-model"
-- p2 = 0.1
