import { applyDecorators, HttpCode, Post, Put, type Type } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import { InvalidBody, ProblemBody } from '@app/contracts';

export interface OperationDoc {
  readonly summary: string;
  readonly body: Type;
  readonly answer: Type;
  /** POST unless the wire says otherwise. */
  readonly method?: 'PUT';
  /** Of the answer, when it is not JSON as a whole. */
  readonly type?: string;
}

/** One operation of the wire: POST, JSON in, 200 with JSON out. */
export function Operation(
  path: string | string[],
  { summary, body, answer, method, type }: OperationDoc,
): MethodDecorator {
  return applyDecorators(
    method === 'PUT' ? Put(path) : Post(path),
    HttpCode(200),
    ApiOperation({ summary }),
    ApiBody({ type: body }),
    ...(type === undefined ? [ApiOkResponse({ type: answer })] : typed(answer, type)),
    ApiRefusals(),
  );
}

/** What everything that takes a key can answer besides. */
export const ApiRefusals = (): MethodDecorator =>
  applyDecorators(
    ApiResponse({ status: 422, type: InvalidBody, description: 'The body does not match.' }),
    ApiResponse({
      status: '4XX',
      type: ProblemBody,
      description: 'Refused; see docs/reference/errors.md.',
    }),
  );

function typed(answer: Type, type: string): MethodDecorator[] {
  const schema = { $ref: getSchemaPath(answer) };
  return [ApiExtraModels(answer), ApiOkResponse({ content: { [type]: { schema } } })];
}
