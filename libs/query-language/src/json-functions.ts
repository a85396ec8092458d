import { define, type Definition } from '@app/clickhouse';

/*
 * SQL functions that read a path of a JSON text exactly. ClickHouse's JSON functions are fast but not exact: they reject
 * documents with a thirty-digit integer or a lone surrogate, they turn 1.0 into 1, and of repeated keys they return the
 * first where JSON.parse returns the last. The functions here work on the tokens of the text. They are the fallback for
 * rows that the scalar index cannot decide, so they may be slow.
 *
 * ClickHouse inlines the argument of such a function wherever its body names it and plans it again each time. So an
 * argument that is more than a column is bound to a name once: `arrayMap(x -> …, [argument])[1]`.
 */

const SPACE = String.raw`' \t\r\n'`;
const TOKENS = String.raw`'(?s)"(?:[^"\\\\]|\\\\.)*"\\s*|[\\[\\]{}:,]\\s*|[^\\s\\[\\]{}:,"]+\\s*'`;

/** Decodes a JSON string. A lone surrogate cannot be encoded in UTF-8 and becomes U+FFFD. */
const STRING = String.raw`multiIf(
      position(value, '\\') = 0, substring(value, 2, length(value) - 2),
      position(lower(value), '\\ud') = 0, JSONExtractString(concat('[', value, ']'), 1),
      JSONExtractString(concat('[', arrayStringConcat(arrayMap(
        part -> if(match(part, '^\\\\u[dD][89a-fA-F]..$'), '\\ufffd', part),
        extractAll(value, '(?s)\\\\u[dD][89abAB]..\\\\u[dD][c-fC-F]..|\\\\u....|\\\\.|[^\\\\]+'))), ']'), 1))`;

/**
 * The value at a path as the exact text that was sent; empty when there is none. It folds over the tokens once. State:
 * .1 depth, .2 number of path keys matched so far, .3 index in the list (far below zero in an object, far above after the
 * element that matched), .4 last string, .5 byte position, .6 and .7 start and end of the value. Character codes:
 * " 34, comma 44, colon 58, brackets 91 93, braces 123 125.
 *
 * A repeated key restarts the search below it, because the last of repeated keys wins.
 */
export const jsonRaw: Definition = define(
  'json_raw',
  String.raw`(json, keys, places, n) -> arrayMap(
    s -> trimRight(substring(json, s.6, s.7 - s.6), ${SPACE}),
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
      extractAll(json, ${TOKENS}),
      (toInt32(0), toInt32(0), toInt32(0), '', toInt32(1), toInt32(0), toInt32(0)))])[1]`,
);

/** A value as text: strings without quotes, null and missing as '', anything else as it was sent. */
export const plainText: Definition = define(
  'plain_text',
  `json -> arrayMap(value -> multiIf(startsWith(value, '"'), ${STRING}, value = 'null', '', value), [json])[1]`,
);

/**
 * Length of a string or list, number of an object's keys; NULL for anything else. A repeated key counts once. All are of one type:
 * ClickHouse would make a Variant of others, which it cannot find in a list of numbers.
 */
export const jsonSize: Definition = define(
  'json_size',
  String.raw`json -> arrayMap(value -> multiIf(
      startsWith(value, '"'), toNullable(toInt64(lengthUTF8(${STRING}))),
      startsWith(value, '{'), toInt64(length(arrayDistinct(arrayFold((s, token) -> (
          toInt32(s.1 + multiIf(ascii(token) IN (91, 123), 1, ascii(token) IN (93, 125), -1, 0)),
          multiIf(ascii(token) != 34, s.2, position(token, '\\') = 0, substring(token, 2, position(token, '"', 2) - 2),
            JSONExtractString(concat('[', token, ']'), 1)),
          if(s.1 = 1 AND ascii(token) = 58, arrayPushBack(s.3, s.2), s.3)),
        extractAll(value, ${TOKENS}), (toInt32(0), '', emptyArrayString())).3))),
      NOT startsWith(value, '['), NULL,
      match(value, '^\\[\\s*\\]$'), 0,
      arrayFold((s, token) -> (
          toInt32(s.1 + multiIf(ascii(token) IN (91, 123), 1, ascii(token) IN (93, 125), -1, 0)),
          toInt32(s.2 + (s.1 = 1 AND ascii(token) = 44))),
        extractAll(value, ${TOKENS}), (toInt32(0), toInt32(1))).2),
    [json])[1]`,
);

const NUMBER = String.raw`match(value, '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$')`;

/** A decimal number in a text; NULL for other text. ClickHouse alone would also accept 'nan', 'inf' and '0x10'. */
export const asNumber: Definition = define(
  'as_number',
  `text -> arrayMap(value -> if(${NUMBER}, toFloat64OrNull(value), NULL), [text])[1]`,
);

/** A 64-bit integer in a text; NULL for other text. 1.0 is an integer. */
export const asInteger: Definition = define(
  'as_integer',
  String.raw`text -> arrayMap(value -> multiIf(
      match(value, '^[+-]?[0-9]+$'), toInt64OrNull(value),
      NOT ${NUMBER}, NULL,
      toFloat64OrZero(value) = trunc(toFloat64OrZero(value)) AND abs(toFloat64OrZero(value)) <= 9007199254740992,
      toInt64(toFloat64OrZero(value)), NULL),
    [text])[1]`,
);

/** `true` and 1, `false` and 0; NULL for anything else. */
export const asBool: Definition = define(
  'as_bool',
  `text -> arrayMap(value -> multiIf(value = 'true', true, value = 'false', false,
      NOT ${NUMBER}, NULL, toFloat64OrZero(value) = 1, true, toFloat64OrZero(value) = 0, false, NULL),
    [text])[1]`,
);
