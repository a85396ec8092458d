import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** What every refusal says. */
export class ProblemBody {
  @ApiProperty({ description: 'A sentence for a person.' }) reason!: string;
  @ApiPropertyOptional({
    description: 'A stable word for a program; see docs/reference/errors.md.',
  })
  error_code?: string;
}

export class FieldProblem {
  @ApiProperty({ type: 'array', items: { oneOf: [{ type: 'string' }, { type: 'integer' }] } })
  loc!: (string | number)[];
  @ApiProperty() msg!: string;
  @ApiProperty() type!: string;
}

/** What a body that does not match its schema gets (422). */
export class InvalidBody {
  @ApiProperty({ type: [FieldProblem] }) detail!: FieldProblem[];
}
