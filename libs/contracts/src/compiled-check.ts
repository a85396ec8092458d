import { getMetadataStorage, maxLength, ValidationTypes } from 'class-validator';
import { isTimestamp, isPayloadObject, isPayloadObjectOrNull, isShallow } from './fields.js';

/** Returns whether class-validator would report no error. */
export type Check = (item: Readonly<Record<string, unknown>>) => boolean;

type Test = (value: unknown) => boolean;
type MetadataOf = ReturnType<
  ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']
>[number];

/** The test behind each decorator of our DTOs, made from the decorator's arguments. */
const TESTS: Readonly<Record<string, (...args: never[]) => Test>> = {
  isString: () => (value) => typeof value === 'string',
  isNotEmpty: () => (value) => value !== '' && value !== null && value !== undefined,
  // class-validator counts an emoji as one character. Only strings that may be too long are counted that way.
  maxLength: (max: number) => (value) =>
    typeof value === 'string' && (value.length <= max || maxLength(value, max)),
  matches: (pattern: RegExp) => (value) => typeof value === 'string' && pattern.test(value),
  isInt: () => (value) => Number.isInteger(value),
  min: (min: number) => (value) => typeof value === 'number' && value >= min,
  max: (max: number) => (value) => typeof value === 'number' && value <= max,
  isTimestamp: () => isTimestamp,
  isPayloadObject: () => isPayloadObject,
  isPayloadObjectOrNull: () => isPayloadObjectOrNull,
  isShallow: () => isShallow,
};

/**
 * Compiles the decorators of a DTO into one function, once at startup, from class-validator's metadata. The decorators
 * stay the only source of truth, and the hot path validates a record in a fraction of a microsecond. A decorator without
 * a test here fails the startup, so that no rule is skipped silently.
 */
export function compileCheck(dto: new () => object): Check {
  const metadata = getMetadataStorage().getTargetValidationMetadatas(dto, '', true, false);
  const fields = new Map<string, { optional: boolean; tests: Test[] }>();
  for (const one of metadata) {
    const field = fields.get(one.propertyName) ?? { optional: false, tests: [] };
    fields.set(one.propertyName, field);
    if (isOptional(one)) field.optional = true;
    else field.tests.push(testOf(dto, one));
  }
  const compiled = [...fields].map(([name, { optional, tests }]) =>
    fieldCheck(name, optional, tests),
  );
  return (item) => {
    for (const check of compiled) if (!check(item)) return false;
    return true;
  };
}

function fieldCheck(name: string, optional: boolean, tests: readonly Test[]): Check {
  return (item) => {
    const value = item[name];
    if (optional && (value === null || value === undefined)) return true;
    for (const test of tests) if (!test(value)) return false;
    return true;
  };
}

/** `IsOptional` is the only condition we support. Any other has no name, and `testOf` refuses it. */
function isOptional({ type, name }: MetadataOf): boolean {
  return type === ValidationTypes.CONDITIONAL_VALIDATION && name === 'isOptional';
}

function testOf(dto: new () => object, metadata: MetadataOf): Test {
  const { name, each, groups, constraints, propertyName } = metadata;
  const make = TESTS[name ?? ''];
  // Undefined when a decorator has no groups, although its type does not allow that.
  const hasGroups = ((groups as string[] | undefined) ?? []).length > 0;
  if (make === undefined || each || hasGroups) {
    throw new Error(
      `${dto.name}.${propertyName} has a check that cannot be compiled: ${name ?? metadata.type}`,
    );
  }
  return make(...((constraints ?? []) as never[]));
}
