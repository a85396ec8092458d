import { EVERYTHING, type Grant } from '@app/auth';

type Variables = Readonly<Record<string, unknown>>;
type Answer = (asking: Grant, variables: Variables) => Record<string, unknown>;

/**
 * The few questions a client asks at start-up in another protocol. Projects exist as soon as somebody writes to them, so
 * every project that is asked for is there.
 */
const ANSWERS: Readonly<Record<string, Answer>> = {
  DefaultEntity: (asking) => ({
    viewer: { username: asking.user, defaultEntity: { name: ownEntity(asking) } },
  }),
  Project: (_, { name }) => ({ project: { name } }),
  UpsertModel: (_, { name, description = null }) => ({
    upsertModel: { model: { name, description } },
  }),
  ServerInfo: () => ({ serverInfo: { frontendHost: null } }),
  Entity: ({ user }) => ({ viewer: { username: user }, entity: { readOnly: false } }),
};

/** The name of the operation in a query's text, if it is one we know. */
export function operationIn(query: string): string | undefined {
  const name = /\b(?:query|mutation)\s+(\w+)/.exec(query)?.[1];
  return name !== undefined && Object.hasOwn(ANSWERS, name) ? name : undefined;
}

export function graphqlResponse(
  operation: string,
  asking: Grant,
  variables: Variables,
): Record<string, unknown> {
  return ANSWERS[operation]!(asking, variables);
}

/** Where somebody works who names no entity: where their key lets them, else under their own name. */
function ownEntity({ user, scope }: Grant): string {
  return scope === EVERYTHING ? user : scope.split('/', 1)[0]!;
}

/** Every project that the variables name. */
export function projectsIn({ entityName, entity, name }: Variables): string[] {
  if (typeof name !== 'string') return [];
  const owners = [entityName, entity].filter((owner) => typeof owner === 'string');
  return owners.map((owner) => `${owner}/${name}`);
}
