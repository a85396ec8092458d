import { getMetadataStorage, maxLength, ValidationTypes } from 'class-validator';
import { isTimestamp, isPayloadObject, isPayloadObjectOrNull, isShallow } from './fields.js';

/** Whether class-validator would find nothing wrong with it. */
export type Check = (item: Readonly<Record<string, unknown>>) => boolean;

type Test = (value: unknown) => boolean;
type MetadataOf = ReturnType<
  ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']
>[number];

/** What each decorator of our DTOs asks, given its own arguments. */
const TESTS: Readonly<Record<string, (...args: never[]) => Test>> = {
  isString: () => (value) => typeof value === 'string',
  isNotEmpty: () => (value) => value !== '' && value !== null && value !== undefined,
  // Only a string that looks too long is counted as class-validator counts: an emoji is one.
  maxLength: (max: number) => (value) =>
    typeof value === 'string' && (value.length <= max || maxLength(value, max)),
  matches: (pattern: RegExp) => (value) => typeof value === 'string' && pattern.test(value),
  isInt: () => (value) => Number.isInteger(value),
  min: (min: number) => (value) => typeof value === 'number' && value >= min,
  max: (max: number) => (value) => typeof value === 'number' && value <= max,
  isInstant: () => isTimestamp,
  isPayloadObject: () => isPayloadObject,
  isPayloadObjectOrNull: () => isPayloadObjectOrNull,
  isShallow: () => isShallow,
};

/**
 * The checks of a DTO as one plain function, made once at boot from class-validator's own metadata: the decorators stay
 * the only source of truth, and a hot route pays a fraction of a microsecond for them. A decorator it does not know is
 * an error here, at boot, rather than a rule that is silently not kept.
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

/** `IsOptional` is the one condition we use; any other has no name and would be taken for a rule to compile. */
function isOptional({ type, name }: MetadataOf): boolean {
  return type === ValidationTypes.CONDITIONAL_VALIDATION && name === 'isOptional';
}

function testOf(dto: new () => object, metadata: MetadataOf): Test {
  const { name, each, groups, constraints, propertyName } = metadata;
  const make = TESTS[name ?? ''];
  // Absent without groups, whatever its type says.
  const hasGroups = ((groups as string[] | undefined) ?? []).length > 0;
  if (make === undefined || each || hasGroups) {
    throw new Error(
      `${dto.name}.${propertyName} has a check that cannot be compiled: ${name ?? metadata.type}`,
    );
  }
  return make(...((constraints ?? []) as never[]));
}
