import type { RuntimeApplyRequest, RuntimeApplyResponse } from '@app/contracts';
import { ProblemError } from '@app/http';

const MAX_TOKENS = 4096;
const NAME_MAX = 128;
/** No spaces, and no `::`, which separates the parts of a playground id. */
const NAME = /^(?!$)[^\s:]*(?::[^\s:]+)*:?$/;

interface Model {
  readonly id: string;
  readonly maxTokens: number;
}

/** An endpoint with its models, and the names of the objects that store them. */
export interface Runtime {
  readonly name: string;
  readonly objectId: string;
  readonly baseUrl: string;
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly models: readonly (Model & { readonly objectId: string })[];
}

/** Reads and checks a request. Two names that would share an object are refused. */
export function runtimeOf(given: string, request: RuntimeApplyRequest): Runtime {
  const name = given.trim();
  if (!NAME.test(name)) throw bad('The name of a runtime has no spaces and no "::"');
  const models = request.runtime_ids.map(({ id, max_tokens }) => ({
    id: id.trim(),
    maxTokens: max_tokens ?? MAX_TOKENS,
    objectId: modelObjectId(name, id.trim()),
  }));
  const long = models.find(({ id }) => `${name}/${id}`.length > NAME_MAX);
  if (long)
    throw bad(
      `The names of the runtime and of a model together have at most ${NAME_MAX} characters`,
    );
  const repeated = models.find(
    ({ objectId }, i) => models.findIndex((one) => one.objectId === objectId) !== i,
  );
  if (repeated) throw bad(`Two models would be stored as ${repeated.objectId}`);
  const { base_url: baseUrl, api_key_secret, headers } = request;
  return {
    ...{ name, objectId: objectIdOf(name), baseUrl, models },
    ...{ secret: api_key_secret ?? '', headers: headers ?? {} },
  };
}

const objectIdOf = (name: string) => name.replace(/[^\p{L}\p{M}\p{N}_.-]/gu, '_');
const modelObjectId = (name: string, id: string) => objectIdOf(`${name}-${id}`);

/** The names of all models of a runtime begin with this. */
export const modelPrefix = ({ name }: Runtime): string => modelObjectId(name, '');

export const providerValue = ({ name, baseUrl, secret, headers }: Runtime) => ({
  ...{ name, description: null, base_url: baseUrl, api_key_name: secret },
  ...{ extra_headers: headers, return_type: 'openai' },
});

export const modelValue = ({ id, maxTokens }: Model, provider: string) => ({
  ...{ name: id, description: null, provider, max_tokens: maxTokens, mode: 'chat' },
});

export const runtimeResponse = ({
  name,
  baseUrl,
  secret,
  headers,
  models,
}: Runtime): RuntimeApplyResponse => ({
  name,
  base_url: baseUrl,
  api_key_secret: secret || null,
  headers,
  runtime_ids: models.map(({ id, maxTokens }) => ({
    ...{ id, max_tokens: maxTokens, playground_id: `custom::${name}::${id}` },
  })),
});

const bad = (why: string) => new ProblemError('invalid_request', `${why}.`);
