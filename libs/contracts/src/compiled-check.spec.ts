import fc from 'fast-check';
import { IsEmail, IsString, ValidateIf, validateSync } from 'class-validator';
import { JsonText } from '@app/wire';
import { CallCompleteRecord, CallEndRecord, CallStartRecord } from './call-records.dto.js';
import { compileCheck } from './compiled-check.js';

const text = (json: string) => new JsonText(Buffer.from(json));
const nested = (levels: number) => `${'{"a":'.repeat(levels)}0${'}'.repeat(levels)}`;

/** Values that are valid for some fields and invalid for others. */
const value = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    undefined,
    '',
    'acme/demo',
    'acme',
    'a/b/c',
    0,
    1,
    -1,
    1.5,
    NaN,
    true,
    [],
    {},
  ),
  fc.constantFrom('2026-03-01T10:00:00Z', '2026-02-30T10:00:00Z', 'x'.repeat(128), 'x'.repeat(129)),
  fc.constantFrom('😀'.repeat(128), '😀'.repeat(129)),
  fc.constantFrom(text('{}'), text('[]'), text('null'), text('1')),
  fc.constantFrom(text(nested(200)), text(nested(201))),
  fc.string(),
);

const valid = {
  project_id: 'acme/demo',
  id: 'c1',
  trace_id: 't1',
  op_name: 'f',
  started_at: '2026-03-01T10:00:00Z',
  ended_at: '2026-03-01T10:00:01Z',
  attributes: text('{}'),
  inputs: text('{}'),
  summary: text('{}'),
};

describe.each([
  { name: 'a start', dto: CallStartRecord },
  { name: 'an end', dto: CallEndRecord },
  { name: 'a whole call', dto: CallCompleteRecord },
])('the compiled check of $name', ({ dto }) => {
  const check = compileCheck(dto);
  const fields = Object.keys(valid).concat(
    'parent_id',
    'wb_run_step',
    'otel_dump',
    'output',
    'exception',
    'display_name',
  );

  it('accepts a valid record', () => {
    expect(check(valid)).toBe(true);
  });

  it('accepts exactly the records that class-validator accepts', () => {
    const changes = fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 3 });
    fc.assert(
      fc.property(changes, (changed) => {
        const item = { ...valid, ...changed };
        const errors = validateSync(Object.assign(new dto(), item));
        expect(check(item)).toBe(errors.length === 0);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a check that cannot be compiled', () => {
  it('fails the startup when a decorator is unknown', () => {
    class WithEmail {
      @IsEmail() email!: string;
    }
    expect(() => compileCheck(WithEmail)).toThrow(
      'WithEmail.email has a check that cannot be compiled: isEmail',
    );
  });

  it('fails the startup when a field has a condition', () => {
    class WithCondition {
      @ValidateIf(() => false) @IsString() name!: string;
    }
    expect(() => compileCheck(WithCondition)).toThrow('WithCondition.name');
  });

  it('fails the startup when a decorator has a group', () => {
    class WithGroup {
      @IsString({ groups: ['a'] }) name!: string;
    }
    expect(() => compileCheck(WithGroup)).toThrow('WithGroup.name');
  });
});
