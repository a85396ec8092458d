import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { PROJECT_ID } from '@app/contracts';
import { InvalidBodyError } from './problems.js';

/** The start of the path of every operation that names its project in the path. */
export const PROJECT_PATH = 'v2/:entity/:project';

/** A handler's parameter for the project that the path names. */
export const PathProject = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const { params } = context.switchToHttp().getRequest<FastifyRequest>();
  return projectIn(params as ProjectParams);
});

interface ProjectParams {
  readonly entity: string;
  readonly project: string;
}

function projectIn({ entity, project }: ProjectParams): string {
  const projectId = `${entity}/${project}`;
  if (PROJECT_ID.test(projectId)) return projectId;
  const msg = 'must be the entity and the name of a project';
  throw new InvalidBodyError([{ loc: ['path', 'project'], msg, type: 'matches' }]);
}

/** Describes the parameters of the path. */
export const ApiProjectPath =
  (): ClassDecorator =>
  (target): void => {
    for (const name of ['entity', 'project']) ApiParam({ name, type: String })(target);
  };
