import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, requireAccess, type Principal } from '@app/auth';
import { GraphqlRequest, GraphqlResponse } from '@app/contracts';
import { Operation, ProblemError } from '@app/http';
import { graphqlResponse, operationIn, projectsIn } from './graphql.js';

@ApiTags('graphql')
@Controller()
export class GraphqlController {
  @Operation('graphql', {
    needs: 'enter',
    summary: 'The GraphQL operations that clients execute when they start',
    body: GraphqlRequest,
    response: GraphqlResponse,
  })
  execute(
    @Body() { query, variables }: GraphqlRequest,
    @Caller() caller: Principal,
  ): GraphqlResponse {
    const operation = operationIn(query);
    if (operation === undefined) {
      throw new ProblemError(
        'invalid_request',
        'Only the operations that clients execute when they start are supported.',
      );
    }
    requireAccess(caller, 'enter', projectsIn(variables ?? {}));
    return { data: graphqlResponse(operation, caller, variables ?? {}) };
  }
}
