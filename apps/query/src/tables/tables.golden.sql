-- a page of a table
SELECT p.position AS position, p.row_digest AS row_digest, r.val AS val FROM (SELECT position, row_digest FROM table_positions FINAL WHERE project_id = {p0:String} AND digest = {p1:String} AND position >= {p2:UInt64} AND position < {p3:UInt64}) AS p
LEFT JOIN (
  SELECT digest, any(table_rows.val) AS val FROM table_rows
  WHERE project_id = {p4:String} AND digest IN (SELECT row_digest FROM (SELECT position, row_digest FROM table_positions FINAL WHERE project_id = {p0:String} AND digest = {p1:String} AND position >= {p2:UInt64} AND position < {p3:UInt64})) GROUP BY digest
) AS r ON p.row_digest = r.digest
ORDER BY position;

-- rows at some positions
SELECT p.position AS position, p.row_digest AS row_digest, r.val AS val FROM (SELECT position, row_digest FROM table_positions FINAL WHERE project_id = {p0:String} AND digest = {p1:String} AND position IN {p2:Array(UInt32)}) AS p
LEFT JOIN (
  SELECT digest, any(table_rows.val) AS val FROM table_rows
  WHERE project_id = {p3:String} AND digest IN (SELECT row_digest FROM (SELECT position, row_digest FROM table_positions FINAL WHERE project_id = {p0:String} AND digest = {p1:String} AND position IN {p2:Array(UInt32)})) GROUP BY digest
) AS r ON p.row_digest = r.digest
ORDER BY position;

-- where some rows stand
SELECT position, row_digest FROM table_positions FINAL WHERE project_id = {p0:String} AND digest = {p1:String} AND row_digest IN {p2:Array(String)} ORDER BY position;

-- a large table in an order
WITH
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
      (toInt32(0), toInt32(0), toInt32(0), '', toInt32(1), toInt32(0), toInt32(0)))])[1] AS json_raw,
  text -> arrayMap(value -> if(match(value, '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$'), toFloat64OrNull(value), NULL), [text])[1] AS as_number,
  json -> arrayMap(value -> multiIf(startsWith(value, '"'), multiIf(
      position(value, '\\') = 0, substring(value, 2, length(value) - 2),
      position(lower(value), '\\ud') = 0, JSONExtractString(concat('[', value, ']'), 1),
      JSONExtractString(concat('[', arrayStringConcat(arrayMap(
        part -> if(match(part, '^\\\\u[dD][89a-fA-F]..$'), '\\ufffd', part),
        extractAll(value, '(?s)\\\\u[dD][89abAB]..\\\\u[dD][c-fC-F]..|\\\\u....|\\\\.|[^\\\\]+'))), ']'), 1)), value = 'null', '', value), [json])[1] AS plain_text
SELECT reinterpretAsFixedString(position) FROM (
  SELECT p.position AS position, if(if(JSONType(JSONExtractRaw(JSONExtractRaw(r.val, {p0:String}), {p1:String})) = 'Array', JSONExtractRaw(JSONExtractRaw(JSONExtractRaw(r.val, {p0:String}), {p1:String}), {p2:Int64}), JSONExtractRaw(JSONExtractRaw(JSONExtractRaw(r.val, {p0:String}), {p1:String}), {p3:String})) != '', if(JSONType(JSONExtractRaw(JSONExtractRaw(r.val, {p0:String}), {p1:String})) = 'Array', JSONExtractRaw(JSONExtractRaw(JSONExtractRaw(r.val, {p0:String}), {p1:String}), {p2:Int64}), JSONExtractRaw(JSONExtractRaw(JSONExtractRaw(r.val, {p0:String}), {p1:String}), {p3:String})), if((position(r.val, {p4:String}) > 0 OR position(r.val, '\\u00') > 0), json_raw(r.val, {p5:Array(String)}, {p6:Array(Int32)}, {p7:Int32}), '')) AS key0
  FROM (SELECT val, sipHash128(digest) AS hash FROM table_rows WHERE project_id = {p8:String}) AS r
  RIGHT JOIN (SELECT position, sipHash128(row_digest) AS hash FROM (SELECT position, row_digest FROM table_positions FINAL WHERE project_id = {p9:String} AND digest = {p10:String})) AS p ON r.hash = p.hash
)
ORDER BY (key0 NOT IN ('', 'null')) DESC, as_number(plain_text(key0)) DESC NULLS LAST, plain_text(key0) DESC, position
LIMIT {p11:UInt64};

-- some rows of a table in an order
WITH
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
      (toInt32(0), toInt32(0), toInt32(0), '', toInt32(1), toInt32(0), toInt32(0)))])[1] AS json_raw,
  text -> arrayMap(value -> if(match(value, '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$'), toFloat64OrNull(value), NULL), [text])[1] AS as_number,
  json -> arrayMap(value -> multiIf(startsWith(value, '"'), multiIf(
      position(value, '\\') = 0, substring(value, 2, length(value) - 2),
      position(lower(value), '\\ud') = 0, JSONExtractString(concat('[', value, ']'), 1),
      JSONExtractString(concat('[', arrayStringConcat(arrayMap(
        part -> if(match(part, '^\\\\u[dD][89a-fA-F]..$'), '\\ufffd', part),
        extractAll(value, '(?s)\\\\u[dD][89abAB]..\\\\u[dD][c-fC-F]..|\\\\u....|\\\\.|[^\\\\]+'))), ']'), 1)), value = 'null', '', value), [json])[1] AS plain_text
SELECT reinterpretAsFixedString(position) FROM (
  SELECT p.position AS position, if(if(JSONType(JSONExtractRaw(JSONExtractRaw(r.val, {p0:String}), {p1:String})) = 'Array', JSONExtractRaw(JSONExtractRaw(JSONExtractRaw(r.val, {p0:String}), {p1:String}), {p2:Int64}), JSONExtractRaw(JSONExtractRaw(JSONExtractRaw(r.val, {p0:String}), {p1:String}), {p3:String})) != '', if(JSONType(JSONExtractRaw(JSONExtractRaw(r.val, {p0:String}), {p1:String})) = 'Array', JSONExtractRaw(JSONExtractRaw(JSONExtractRaw(r.val, {p0:String}), {p1:String}), {p2:Int64}), JSONExtractRaw(JSONExtractRaw(JSONExtractRaw(r.val, {p0:String}), {p1:String}), {p3:String})), if((position(r.val, {p4:String}) > 0 OR position(r.val, '\\u00') > 0), json_raw(r.val, {p5:Array(String)}, {p6:Array(Int32)}, {p7:Int32}), '')) AS key0
  FROM (SELECT val, sipHash128(digest) AS hash FROM table_rows WHERE project_id = {p8:String} AND digest IN (SELECT row_digest FROM (SELECT position, row_digest FROM table_positions FINAL WHERE project_id = {p9:String} AND digest = {p10:String} AND row_digest IN {p11:Array(String)}))) AS r
  RIGHT JOIN (SELECT position, sipHash128(row_digest) AS hash FROM (SELECT position, row_digest FROM table_positions FINAL WHERE project_id = {p9:String} AND digest = {p10:String} AND row_digest IN {p11:Array(String)})) AS p ON r.hash = p.hash
)
ORDER BY (key0 NOT IN ('', 'null')) DESC, as_number(plain_text(key0)) DESC NULLS LAST, plain_text(key0) DESC, position
LIMIT {p12:UInt64};

-- rows by digest
SELECT digest, any(val) AS val FROM table_rows
WHERE project_id = {p0:String} AND digest IN {p1:Array(String)}
GROUP BY digest;

-- how many rows
SELECT digest, max(row_count) AS count FROM tables
WHERE project_id = {p0:String} AND digest IN {p1:Array(String)}
GROUP BY digest;

-- how many bytes
SELECT p.digest AS digest, sum(r.size * p.places) AS bytes FROM (
  SELECT digest, sipHash128(row_digest) AS hash, count() AS places FROM (SELECT digest, position, row_digest FROM table_positions FINAL
  WHERE project_id = {p0:String} AND digest IN {p1:Array(String)}) GROUP BY digest, hash
) AS p INNER JOIN (
  SELECT sipHash128(digest) AS hash, any(size_bytes) AS size FROM table_rows
  WHERE project_id = {p2:String} GROUP BY hash
) AS r ON p.hash = r.hash
GROUP BY p.digest;
