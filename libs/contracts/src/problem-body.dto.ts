import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** The body of an error response. */
export class ProblemBody {
  @ApiProperty({ description: 'Explanation for people.' }) reason!: string;
  @ApiPropertyOptional({
    description: 'Stable code for programs; see docs/reference/errors.md.',
  })
  error_code?: string;
}

export class FieldProblem {
  @ApiProperty({ type: 'array', items: { oneOf: [{ type: 'string' }, { type: 'integer' }] } })
  loc!: (string | number)[];
  @ApiProperty() msg!: string;
  @ApiProperty() type!: string;
}

/** The body of a 422 response to a request that does not match its schema. */
export class InvalidBody {
  @ApiProperty({ type: [FieldProblem] }) detail!: FieldProblem[];
}
