import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, requireAccess, type Principal } from '@app/auth';
import { GraphqlRequest, GraphqlResponse } from '@app/contracts';
import { Operation, Problem } from '@app/http';
import { answerTo, operationIn, projectsIn } from './graphql.js';

@ApiTags('start-up')
@Controller()
export class GraphqlController {
  @Operation('graphql', {
    summary: 'What clients ask when they start',
    body: GraphqlRequest,
    answer: GraphqlResponse,
  })
  answer(
    @Body() { query, variables }: GraphqlRequest,
    @Caller() caller: Principal,
  ): GraphqlResponse {
    const operation = operationIn(query);
    if (operation === undefined) {
      throw new Problem(
        'invalid_request',
        'Only the questions that clients ask at start-up are answered here.',
      );
    }
    requireAccess(caller, 'enter', projectsIn(variables ?? {}));
    return { data: answerTo(operation, caller, variables ?? {}) };
  }
}
