/** An object of Weave's class AnnotationSpec: a value that people give to calls. */
export interface AnnotationSpec {
  readonly name: string | null;
  readonly description?: string | null;
  /** JSON schema of the value. */
  readonly field_schema?: Readonly<Record<string, unknown>> | null;
  readonly op_scope?: readonly string[] | null;
}

export type AnnotationField =
  | { readonly kind: 'flag' }
  | { readonly kind: 'choice'; readonly choices: readonly (string | number)[] }
  | {
      readonly kind: 'number';
      readonly isWhole: boolean;
      readonly min?: number;
      readonly max?: number;
    }
  | { readonly kind: 'text'; readonly maxLength?: number };

export type AnnotationValue = string | number | boolean;

const CHOICES_MAX = 12;

/** The field for a value of the schema; undefined for a schema that this page does not know. */
export function fieldOf(schema: AnnotationSpec['field_schema']): AnnotationField | undefined {
  const { type, enum: values, minimum: min, maximum: max, maxLength } = schema ?? {};
  if (Array.isArray(values)) {
    const choices = values.filter((one) => typeof one === 'string' || typeof one === 'number');
    return choices.length === 0 ? undefined : { kind: 'choice', choices };
  }
  if (type === 'boolean') return { kind: 'flag' };
  if (type === 'integer' || type === 'number') return numberField(type === 'integer', min, max);
  if (type !== 'string') return undefined;
  return { kind: 'text', ...(typeof maxLength === 'number' && { maxLength }) };
}

/** A few whole numbers are easier to choose than to type. */
function numberField(isWhole: boolean, min: unknown, max: unknown): AnnotationField {
  if (isWhole && typeof min === 'number' && typeof max === 'number' && max - min < CHOICES_MAX) {
    const length = Math.max(0, max - min + 1);
    return { kind: 'choice', choices: Array.from({ length }, (_, i) => min + i) };
  }
  return {
    kind: 'number',
    isWhole,
    ...(typeof min === 'number' && { min }),
    ...(typeof max === 'number' && { max }),
  };
}

/** Whether a spec is about calls of this op. */
export const isAbout = ({ op_scope }: AnnotationSpec, opName: string): boolean =>
  !op_scope?.length ||
  op_scope.some((scope) =>
    scope.endsWith(':*') ? opName.startsWith(scope.slice(0, -1)) : scope === opName,
  );
