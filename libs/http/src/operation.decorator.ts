import { applyDecorators, HttpCode, Post, Put, type Type } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiResponse } from '@nestjs/swagger';
import { InvalidBody, ProblemBody } from '@app/contracts';

export interface OperationDoc {
  readonly summary: string;
  readonly body: Type;
  readonly answer: Type;
  /** POST unless the wire says otherwise. */
  readonly method?: 'PUT';
}

/** One operation of the wire: POST, JSON in, 200 with JSON out. */
export function Operation(
  path: string,
  { summary, body, answer, method }: OperationDoc,
): MethodDecorator {
  return applyDecorators(
    method === 'PUT' ? Put(path) : Post(path),
    HttpCode(200),
    ApiOperation({ summary }),
    ApiBody({ type: body }),
    ApiOkResponse({ type: answer }),
    ApiResponse({ status: 422, type: InvalidBody, description: 'The body does not match.' }),
    ApiResponse({
      status: '4XX',
      type: ProblemBody,
      description: 'Refused; see docs/reference/errors.md.',
    }),
  );
}
