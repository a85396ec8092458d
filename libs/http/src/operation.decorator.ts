import { applyDecorators, HttpCode, Post, Put, type Type } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import { Needs, type Action } from '@app/auth';
import { InvalidBody, ProblemBody } from '@app/contracts';

export interface OperationDoc {
  /** The action that a key must permit; the handler checks it in every project of the request. */
  readonly needs: Action;
  /** Requests of this kind need another action. */
  readonly needsFor?: Readonly<Record<string, Action>>;
  /** The operation names no project: it concerns the scope of the key. */
  readonly isOwnScope?: true;
  readonly summary: string;
  readonly body: Type;
  readonly response: Type;
  /** POST when absent. */
  readonly method?: 'PUT';
  /** The content type of the response, when it is not one JSON value. */
  readonly type?: string;
}

/** One operation of the wire: POST, JSON in, 200 with JSON out. */
export function Operation(
  path: string | string[],
  { summary, body, response, method, type, needs, needsFor, isOwnScope }: OperationDoc,
): MethodDecorator {
  return applyDecorators(
    method === 'PUT' ? Put(path) : Post(path),
    HttpCode(200),
    Needs(needs, { ...(needsFor && { cases: needsFor }), ...(isOwnScope && { isOwnScope }) }),
    ApiOperation({ summary }),
    ApiBody({ type: body }),
    ...(type === undefined ? [ApiOkResponse({ type: response })] : typed(response, type)),
    ApiRefusals(),
  );
}

/** The refusals of every operation that needs a key. */
export const ApiRefusals = (): MethodDecorator =>
  applyDecorators(
    ApiResponse({ status: 422, type: InvalidBody, description: 'The body does not match.' }),
    ApiResponse({
      status: '4XX',
      type: ProblemBody,
      description: 'Refused; see docs/reference/errors.md.',
    }),
  );

function typed(response: Type, type: string): MethodDecorator[] {
  const schema = { $ref: getSchemaPath(response) };
  return [ApiExtraModels(response), ApiOkResponse({ content: { [type]: { schema } } })];
}
