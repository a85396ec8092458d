import { skipSpace } from './json-shape.js';
import { endOfValue, walkMembers } from './json-spans.js';

/**
 * The object's text with one more member at its end. The text of all other members is unchanged. A member that already
 * has this name is removed.
 */
export function withMember(object: string, name: string, value: string): string {
  const added = `${JSON.stringify(name)}:${value}`;
  if (!mayHaveMember(object, name)) {
    const body = object.slice(0, object.lastIndexOf('}'));
    return `${body}${/^\s*\{\s*$/.test(body) ? '' : ','}${added}}`;
  }
  const json = Buffer.from(object);
  const members = membersOf(json);
  if (members.some((member) => member.name === name)) {
    return `{${[...members.filter((member) => member.name !== name).map(({ text }) => text), added].join(',')}}`;
  }
  const body = json.toString('utf8', 0, json.lastIndexOf('}'));
  return `${body}${members.length > 0 ? ',' : ''}${added}}`;
}

/** As `withMember`, for an object as bytes, which may be large: its members are scanned only when one may have the name. */
export function withMemberBytes(object: Buffer, name: string, value: string): Buffer {
  if (mayHaveMember(object, name))
    return Buffer.from(withMember(object.toString('utf8'), name, value));
  const end = object.lastIndexOf('}');
  const isEmpty = skipSpace(object, skipSpace(object, 0) + 1) === end;
  const added = `${isEmpty ? '' : ','}${JSON.stringify(name)}:${value}}`;
  return Buffer.concat([object.subarray(0, end), Buffer.from(added)]);
}

/** Whether an object may have a key of this name, without a scan of its members: as it is, or with escapes. */
export const mayHaveMember = (json: Buffer | string, name: string): boolean =>
  json.includes(JSON.stringify(name)) || json.includes(String.raw`\u`);

/** The texts of an object's members, except those with these names. */
export function withoutMembers(object: string, names: readonly string[]): string[] {
  return membersOf(Buffer.from(object))
    .filter(({ name }) => !names.includes(name))
    .map(({ text }) => text);
}

function membersOf(json: Buffer): { name: string; text: string }[] {
  const members: { name: string; text: string }[] = [];
  walkMembers(json, skipSpace(json, 0), (name, start, keyStart) => {
    const end = endOfValue(json, start);
    members.push({ name, text: json.toString('utf8', keyStart, end) });
    return end;
  });
  return members;
}
