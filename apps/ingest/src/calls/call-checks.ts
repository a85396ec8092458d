import { validateSync } from 'class-validator';
import { CallCompleteRecord, CallEndRecord, CallStartRecord, compileCheck } from '@app/contracts';
import type { CallItem } from '@app/events';
import { fieldErrors, InvalidBodyProblem } from '@app/http';

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
    throw new InvalidBodyProblem(
      fieldErrors(validateSync(filled(new dto(), item), { stopAtFirstError: true }), loc),
    );
  };
}

/** Only the record's own fields: a member called `constructor` or `__proto__` is data, and ignored like any other. */
function filled<T extends object>(record: T, item: CallItem): T {
  for (const name of Object.keys(record)) Reflect.set(record, name, item[name]);
  return record;
}
