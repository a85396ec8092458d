type Variables = Readonly<Record<string, unknown>>;
type Answer = (user: string, variables: Variables) => Record<string, unknown>;

/**
 * The few questions a client asks at start-up in another protocol. Projects exist as soon as somebody writes to them, so
 * every project that is asked for is there.
 */
const ANSWERS: Readonly<Record<string, Answer>> = {
  DefaultEntity: (user) => ({ viewer: { username: user, defaultEntity: { name: user } } }),
  Project: (_, { name }) => ({ project: { name } }),
  UpsertModel: (_, { name, description = null }) => ({
    upsertModel: { model: { name, description } },
  }),
  ServerInfo: () => ({ serverInfo: { frontendHost: null } }),
  Entity: (user) => ({ viewer: { username: user }, entity: { readOnly: false } }),
};

/** The name of the operation in a query's text, if it is one we know. */
export function operationIn(query: string): string | undefined {
  const name = /\b(?:query|mutation)\s+(\w+)/.exec(query)?.[1];
  return name !== undefined && Object.hasOwn(ANSWERS, name) ? name : undefined;
}

export function answerTo(
  operation: string,
  user: string,
  variables: Variables,
): Record<string, unknown> {
  return ANSWERS[operation]!(user, variables);
}

/** The project that the variables name, if they name one. */
export function projectIn({ entityName, entity, name }: Variables): string | undefined {
  const owner = entityName ?? entity;
  return typeof owner === 'string' && typeof name === 'string' ? `${owner}/${name}` : undefined;
}
