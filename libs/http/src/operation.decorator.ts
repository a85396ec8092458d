import { applyDecorators, Delete, Get, HttpCode, Post, Put, type Type } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
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
  /** Absent for an operation without a body. */
  readonly body?: Type;
  readonly response: Type;
  /** POST when absent. */
  readonly method?: keyof typeof METHODS;
  /** The parameters of the query string, all of them optional. */
  readonly query?: Readonly<Record<string, QueryParameter>>;
  /** The content type of the response, when it is not one JSON value. */
  readonly type?: string;
}

const METHODS = { GET: Get, POST: Post, PUT: Put, DELETE: Delete };

export interface QueryParameter {
  readonly type: 'integer' | 'string';
  readonly isArray?: boolean;
  readonly description: string;
}

/** One operation of the wire: POST unless stated, JSON in, 200 with JSON out. */
export function Operation(
  path: string | string[],
  { summary, body, response, type, needs, needsFor, isOwnScope, ...doc }: OperationDoc,
): MethodDecorator {
  const parameters = Object.entries(doc.query ?? {});
  return applyDecorators(
    METHODS[doc.method ?? 'POST'](path),
    HttpCode(200),
    Needs(needs, { ...(needsFor && { cases: needsFor }), ...(isOwnScope && { isOwnScope }) }),
    ApiOperation({ summary }),
    ...(body ? [ApiBody({ type: body })] : []),
    ...parameters.map(([name, about]) => ApiQuery({ name, required: false, ...about })),
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
