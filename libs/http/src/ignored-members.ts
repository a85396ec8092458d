import type { FastifyInstance } from 'fastify';

/** Names the members of a request body that no operation reads, so that a misspelt option is seen. */
export const IGNORED_HEADER = 'x-heddle-ignored';

const PATHS_MAX = 10;
const PATH_MAX_CHARACTERS = 100;

type Members = Readonly<Record<string, unknown>>;

/** The pipe that reads a body does not see its request. The bytes of the body identify it. */
const ignoredByBody = new WeakMap<Buffer, readonly string[]>();

/** Repeats of a body add paths, such as those of each record in it. */
export function noteIgnored(body: Buffer, paths: readonly string[]): void {
  if (paths.length === 0) return;
  const known = ignoredByBody.get(body) ?? [];
  ignoredByBody.set(body, [...new Set([...known, ...paths])].slice(0, PATHS_MAX));
}

export function sendIgnored(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const paths = Buffer.isBuffer(request.body) ? ignoredByBody.get(request.body) : undefined;
    if (paths) void reply.header(IGNORED_HEADER, paths.map(printed).join(', '));
    done(null, payload);
  });
}

/** A header has visible ASCII only, and a comma separates paths. */
const printed = (path: string): string =>
  path.slice(0, PATH_MAX_CHARACTERS).replace(/[^\w.$/-]/g, '?');

/** The paths of members that the class of an instance, or of one of its parts, does not declare. */
export function ignoredMembers(body: Members, instance: object): string[] {
  const paths: string[] = [];
  addIgnored(body, instance, '', paths);
  return paths;
}

function addIgnored(body: Members, instance: object, prefix: string, paths: string[]): void {
  const dto = instance.constructor as new () => object;
  const declared = new Set(Object.keys(new dto()));
  for (const [name, value] of Object.entries(body)) {
    if (paths.length === PATHS_MAX) return;
    const path = `${prefix}${name}`;
    if (!declared.has(name)) paths.push(path);
    else addIgnoredParts(value, Reflect.get(instance, name), path, paths);
  }
}

/** Only parts have a class of their own. Any other object is data, and its members belong to the client. */
function addIgnoredParts(value: unknown, part: unknown, path: string, paths: string[]): void {
  if (Array.isArray(value) && Array.isArray(part)) {
    value.forEach((element, i) => addIgnoredParts(element, part[i], `${path}.${i}`, paths));
  } else if (isObject(value) && isObject(part) && isInstance(part)) {
    addIgnored(value, part, `${path}.`, paths);
  }
}

const isObject = (value: unknown): value is Members =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const isInstance = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== null && prototype !== Object.prototype;
};
