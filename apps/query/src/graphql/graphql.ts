import { EVERYTHING, type Grant } from '@app/auth';

type Variables = Readonly<Record<string, unknown>>;
type Resolver = (caller: Grant, variables: Variables) => Record<string, unknown>;

/**
 * The few GraphQL operations that a client executes when it starts. A project exists as soon as a client writes to it, so
 * every requested project exists.
 */
const RESOLVERS: Readonly<Record<string, Resolver>> = {
  DefaultEntity: (caller) => ({
    viewer: { username: caller.user, defaultEntity: { name: defaultEntity(caller) } },
  }),
  Project: (_, { name }) => ({ project: { name } }),
  UpsertModel: (_, { name, description = null }) => ({
    upsertModel: { model: { name, description } },
  }),
  ServerInfo: () => ({ serverInfo: { frontendHost: null } }),
  Entity: ({ user }) => ({ viewer: { username: user }, entity: { readOnly: false } }),
};

/** The name of the operation in a query's text; undefined unless it is one of those above. */
export function operationIn(query: string): string | undefined {
  const name = /\b(?:query|mutation)\s+(\w+)/.exec(query)?.[1];
  return name !== undefined && Object.hasOwn(RESOLVERS, name) ? name : undefined;
}

export function graphqlResponse(
  operation: string,
  caller: Grant,
  variables: Variables,
): Record<string, unknown> {
  return RESOLVERS[operation]!(caller, variables);
}

/** The entity of the caller's key, or the caller's own name when the key is not restricted to one. */
function defaultEntity({ user, scope }: Grant): string {
  return scope === EVERYTHING ? user : scope.split('/', 1)[0]!;
}

/** The projects that the variables name. */
export function projectsIn({ entityName, entity, name }: Variables): string[] {
  if (typeof name !== 'string') return [];
  const owners = [entityName, entity].filter((owner) => typeof owner === 'string');
  return owners.map((owner) => `${owner}/${name}`);
}
