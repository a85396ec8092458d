import { define, type Definition } from '@app/clickhouse';

/*
 * Reading a path of a JSON text, exactly. ClickHouse's own JSON functions are quick but lose what we promise to keep:
 * a document with a thirty-digit integer or a lone surrogate is no JSON to them, 1.0 becomes 1, and of a repeated key
 * they see the first where everybody else sees the last. These work on the text's tokens. They are the fallback for
 * rows whose leaves do not answer, so they may be slow.
 */

const SPACE = String.raw`' \t\r\n'`;

/** The characters of a JSON string. A lone surrogate, which no UTF-8 can hold, becomes U+FFFD. */
const jsonString: Definition = define(
  'json_string',
  String.raw`token -> if(position(token, '\\') = 0, substring(token, 2, length(token) - 2), JSONExtractString(concat('[',
    if(position(lower(token), '\\ud') = 0, token, arrayStringConcat(arrayMap(
      part -> if(match(part, '^\\\\u[dD][89a-fA-F]..$'), '\\ufffd', part),
      extractAll(token, '(?s)\\\\u[dD][89abAB]..\\\\u[dD][c-fC-F]..|\\\\u....|\\\\.|[^\\\\]+')))), ']'), 1))`,
);

/**
 * The tokens of the value at a path, each with the space after it; none when there is no such value. One step of the
 * fold finds where the value of a key (of keys that are equal, the last) or the element at a place begins, and cuts
 * there up to the next comma or bracket of the same depth.
 */
const jsonAt: Definition = define(
  'json_at',
  String.raw`(json, keys, places) -> arrayFold(
    (tokens, key, place) -> arrayMap(heads -> arrayMap(depths -> arrayMap(
      start -> arraySlice(tokens, start, if(start = 0, 0, arrayFirstIndex(
        (head, depth, at) -> at >= start AND (depth = 0 OR (depth = 1 AND head = ',')),
        heads, depths, arrayEnumerate(heads)) - start)),
      [multiIf(
        heads[1] = '{', if((arrayLastIndex(
            (head, next, depth, token) -> head = '"' AND next = ':' AND depth = 1
              AND json_string(trimRight(token, ${SPACE})) = key,
            heads, arrayShiftLeft(heads, 1, ''), depths, tokens) AS found) = 0, 0, found + 2),
        heads[1] != '[' OR place < 0, 0,
        place = 0, 2,
        (arrayFilter((at, head, depth) -> head = ',' AND depth = 1,
          arrayEnumerate(heads), heads, depths)[place] AS comma) = 0, 0, comma + 1)])[1],
      [arrayCumSum(arrayMap(head -> multiIf(head IN ('{', '['), 1, head IN ('}', ']'), -1, 0), heads))])[1],
      [arrayMap(token -> substring(token, 1, 1), tokens)])[1],
    keys, places,
    extractAll(json, '(?s)"(?:[^"\\\\]|\\\\.)*"\\s*|[\\[\\]{}:,]\\s*|[^\\s\\[\\]{}:,"]+\\s*'))`,
  [jsonString],
);

/** The value at a path as the text it was sent as; empty when there is none. */
export const jsonRaw: Definition = define(
  'json_raw',
  `(json, keys, places) -> trimRight(arrayStringConcat(json_at(json, keys, places)), ${SPACE})`,
  [jsonAt],
);

/** A value as text: strings without quotes, null and nothing as '', everything else as it was sent. */
export const plainText: Definition = define(
  'plain_text',
  `value -> multiIf(startsWith(value, '"'), json_string(value), value = 'null', '', value)`,
  [jsonString],
);

/** Characters of a string or elements of a list; NULL for anything else. */
export const jsonSize: Definition = define(
  'json_size',
  String.raw`(json, keys, places) -> arrayMap(tokens -> arrayMap(heads -> multiIf(
      heads[1] = '"', toNullable(lengthUTF8(json_string(trimRight(tokens[1], ${SPACE})))),
      heads[1] = '[' AND heads[2] = ']', 0,
      heads[1] = '[', arrayCount(
        (head, depth) -> head = ',' AND depth = 1, heads,
        arrayCumSum(arrayMap(head -> multiIf(head IN ('{', '['), 1, head IN ('}', ']'), -1, 0), heads))) + 1,
      NULL),
      [arrayMap(token -> substring(token, 1, 1), tokens)])[1],
    [json_at(json, keys, places)])[1]`,
  [jsonString, jsonAt],
);

/** Text that is a decimal number, as one. ClickHouse alone would also take 'nan', 'inf' and '0x10' for numbers. */
export const asNumber: Definition = define(
  'as_number',
  String.raw`text -> if(match(text, '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$'), toFloat64OrNull(text), NULL)`,
);

/** Text that is a whole number of 64 bits, as one; 1.0 is whole. */
export const asInteger: Definition = define(
  'as_integer',
  String.raw`text -> if(match(text, '^[+-]?[0-9]+$'), toInt64OrNull(text), whole_number(as_number(text)))`,
  [
    asNumber,
    define(
      'whole_number',
      'number -> if(number = trunc(number) AND abs(number) <= 9007199254740992, toInt64(number), NULL)',
    ),
  ],
);

/** `true` and 1, `false` and 0; NULL for anything else. */
export const asBool: Definition = define(
  'as_bool',
  `text -> multiIf(text = 'true', true, text = 'false', false, as_number(text) IN (0, 1), as_number(text) = 1, NULL)`,
  [asNumber],
);
