import { validateSync } from 'class-validator';
import {
  CallCompleteRecord,
  CallEndRecord,
  CallStartRecord,
  compileCheck,
  TOO_DEEP,
} from '@app/contracts';
import type { CallItem } from '@app/events';
import { fieldErrors, InvalidBodyError, type FieldError } from '@app/http';

/** A place in the body. */
export type Loc = readonly (string | number)[];

type Checked<T> = (item: CallItem, loc: Loc) => T;

export const checkedStart = checkedBy(CallStartRecord);
export const checkedEnd = checkedBy(CallEndRecord);
export const checkedComplete = checkedBy(CallCompleteRecord);

/** The compiled check decides; only a record it refuses is looked at by class-validator, to say why. */
function checkedBy<T extends object>(dto: new () => T): Checked<T> {
  const isGood = compileCheck(dto);
  return (item, loc) => {
    if (isGood(item)) return item as unknown as T;
    const errors = validateSync(filled(new dto(), item), { stopAtFirstError: true });
    throw refused(fieldErrors(errors, loc));
  };
}

/** A record with nothing wrong but its depth is one that is too large, not one of the wrong form. */
function refused(errors: readonly FieldError[]): InvalidBodyError {
  const isOnlyDeep = errors.length > 0 && errors.every(({ type }) => type === TOO_DEEP);
  return new InvalidBodyError(errors, isOnlyDeep ? 'body_too_complex' : 'invalid_body');
}

/** Only the record's own fields: a member called `constructor` or `__proto__` is data, and ignored like any other. */
function filled<T extends object>(record: T, item: CallItem): T {
  for (const name of Object.keys(record)) Reflect.set(record, name, item[name]);
  return record;
}
