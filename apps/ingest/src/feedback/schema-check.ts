import { createContext, Script } from 'node:vm';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { ProblemError } from '@app/http';

/** Users write the schemas, and a regular expression may run indefinitely. This is wall time: a busy machine needs more of it. */
const TIMEOUT_MS = 1000;
const SCHEMA_MAX = 64 * 1024;

/** The reason why the value does not satisfy the JSON Schema; undefined when it does. Throws for an invalid schema. */
export function schemaViolation(schema: object, value: unknown): string | undefined {
  const validate = compiled(schema);
  if (withinTime(() => validate(value))) return undefined;
  const [error] = validate.errors ?? [];
  return `${error?.instancePath ?? ''} ${error?.message ?? 'does not satisfy it'}`.trim();
}

const COMPILED = new WeakMap<object, ValidateFunction>();

function compiled(schema: object): ValidateFunction {
  const known = COMPILED.get(schema);
  if (known) return known;
  if (JSON.stringify(schema).length > SCHEMA_MAX) throw unusable('it is too large');
  try {
    // Each schema has its own instance, so that schemas with the same $id do not conflict.
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
    const validate = ajv.compile(schema);
    COMPILED.set(schema, validate);
    return validate;
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw unusable((error as Error).message);
  }
}

const CONTEXT = createContext(Object.create(null) as object);
const RUN = new Script('run()');

function withinTime<T>(work: () => T): T {
  let result: { value: T } | undefined;
  (CONTEXT as { run?: () => void }).run = () => void (result = { value: work() });
  try {
    RUN.runInContext(CONTEXT, { timeout: TIMEOUT_MS });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw unusable('it takes too long to check');
  }
  return result!.value;
}

const unusable = (why: string) =>
  new ProblemError(
    'invalid_request',
    `The field_schema of the annotation spec cannot be used: ${why.slice(0, 200)}.`,
  );
