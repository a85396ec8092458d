import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { PROJECT_ID } from '@app/contracts';
import { ProblemError } from '@app/http';
import { OwnWrites } from '../own-writes.js';
import { CurrentRead, type ReadContext } from '../read-context.js';
import { html } from './html.js';
import { layout, PAGE_HEADERS } from './layout.js';
import { PagesReader } from './pages.reader.js';

interface ProjectPath {
  readonly entity: string;
  readonly project: string;
}

/** Where the links lead that the SDKs print. A browser asks for a key: any name, the key as password. */
@ApiExcludeController()
@Controller(':entity/:project')
export class PagesController {
  constructor(
    private readonly ownWrites: OwnWrites,
    private readonly pages: PagesReader,
  ) {}

  @Get('weave')
  async project(
    @Param() path: ProjectPath,
    @Query('offset') offset: unknown,
    @CurrentRead() context: ReadContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const projectId = await this.enter(path, context);
    const from = /^\d{1,9}$/.test(String(offset)) ? Number(offset) : 0;
    await send(reply, await this.pages.project(projectId, from, context));
  }

  @Get('r/call/:id')
  async call(
    @Param() path: ProjectPath & { readonly id: string },
    @CurrentRead() context: ReadContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const projectId = await this.enter(path, context);
    const page = await this.pages.call(projectId, path.id, context);
    if (page === undefined) void reply.status(404);
    await send(reply, page ?? noCall(projectId, path.id));
  }

  @Get('weave/agents/conversations/:id')
  async conversation(
    @Param() path: ProjectPath & { readonly id: string },
    @CurrentRead() context: ReadContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const projectId = await this.enter(path, context);
    await send(reply, await this.pages.conversation(projectId, path.id, context));
  }

  @Get('weave/objects/:name/versions/:digest')
  object(
    @Param() path: ProjectPath & { readonly name: string; readonly digest: string },
    @CurrentRead() context: ReadContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.version(path, context, reply);
  }

  @Get('weave/ops/:name/versions/:digest')
  op(
    @Param() path: ProjectPath & { readonly name: string; readonly digest: string },
    @CurrentRead() context: ReadContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.version(path, context, reply);
  }

  private async version(
    path: ProjectPath & { readonly name: string; readonly digest: string },
    context: ReadContext,
    reply: FastifyReply,
  ): Promise<void> {
    const project_id = await this.enter(path, context);
    const { name: object_id, digest } = path;
    await send(reply, await this.pages.object({ project_id, object_id, digest }, context));
  }

  private async enter({ entity, project }: ProjectPath, context: ReadContext): Promise<string> {
    const projectId = `${entity}/${project}`;
    if (!PROJECT_ID.test(projectId)) {
      throw new ProblemError('invalid_request', 'This is not the address of a project.');
    }
    await this.ownWrites.visible(context, projectId);
    return projectId;
  }
}

const noCall = (projectId: string, id: string) =>
  layout(
    'There is no such call',
    projectId,
    html`<p>
      ${id} is not a call of this project, or it was deleted. One that was just made appears here as
      soon as its SDK has sent it.
    </p>`,
  );

async function send(reply: FastifyReply, page: string): Promise<void> {
  await reply.headers({ ...PAGE_HEADERS }).send(page);
}
