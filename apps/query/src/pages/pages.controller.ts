import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { PROJECT_ID } from '@app/contracts';
import { ProblemError } from '@app/http';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead, type ReadContext } from '../read-context.js';
import { html } from './html.js';
import { layout, PAGE_HEADERS } from './layout.js';
import { PagesReader } from './pages.reader.js';

interface ProjectPath {
  readonly entity: string;
  readonly project: string;
}

/** The pages that the SDKs print links to. A browser prompts for any name, and for the API key as password. */
@ApiExcludeController()
@Controller(':entity/:project')
export class PagesController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly pages: PagesReader,
  ) {}

  @Get('weave')
  async project(
    @Param() path: ProjectPath,
    @Query('offset') offset: unknown,
    @CurrentRead() read: IncomingRead,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { projectId, context } = await this.authorize(path, read);
    const from = /^\d{1,9}$/.test(String(offset)) ? Number(offset) : 0;
    await send(reply, await this.pages.project(projectId, from, context));
  }

  @Get('r/call/:id')
  async call(
    @Param() path: ProjectPath & { readonly id: string },
    @CurrentRead() read: IncomingRead,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { projectId, context } = await this.authorize(path, read);
    const page = await this.pages.call(projectId, path.id, context);
    if (page === undefined) void reply.status(404);
    await send(reply, page ?? noCall(projectId, path.id));
  }

  @Get('weave/agents/conversations/:id')
  async conversation(
    @Param() path: ProjectPath & { readonly id: string },
    @CurrentRead() read: IncomingRead,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { projectId, context } = await this.authorize(path, read);
    await send(reply, await this.pages.conversation(projectId, path.id, context));
  }

  @Get(['weave/objects/:name/versions/:digest', 'weave/ops/:name/versions/:digest'])
  async object(
    @Param() path: ProjectPath & { readonly name: string; readonly digest: string },
    @CurrentRead() read: IncomingRead,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { projectId, context } = await this.authorize(path, read);
    const version = { project_id: projectId, object_id: path.name, digest: path.digest };
    await send(reply, await this.pages.object(version, context));
  }

  private async authorize(
    { entity, project }: ProjectPath,
    read: IncomingRead,
  ): Promise<{ projectId: string; context: ReadContext }> {
    const projectId = `${entity}/${project}`;
    if (!PROJECT_ID.test(projectId)) {
      throw new ProblemError('invalid_request', 'This is not the address of a project.');
    }
    const context = await this.authorizer.authorizeRead(read, projectId);
    return { projectId, context };
  }
}

const noCall = (projectId: string, id: string) =>
  layout(
    'There is no such call',
    projectId,
    html`<p>
      ${id} is not a call of this project, or it was deleted. A new call appears here as soon as its
      SDK has sent it.
    </p>`,
  );

async function send(reply: FastifyReply, page: string): Promise<void> {
  await reply.headers({ ...PAGE_HEADERS }).send(page);
}
