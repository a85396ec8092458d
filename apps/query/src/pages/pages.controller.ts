import { Controller, Get, NotFoundException, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '@app/auth';
import { PROJECT_ID } from '@app/contracts';
import { encodingFor } from '@app/http';
import { PageFiles } from './page-files.js';

/** Only files of this server, no inline script, and no text becomes markup: a payload can only be displayed. */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types heddle-worker',
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // The names of the assets change with their content. The index must be checked again at every load.
  'cache-control': 'no-cache',
};
const IMMUTABLE = 'public, max-age=31536000, immutable';
const OPERATION_METHODS = ['POST', 'PUT', 'DELETE'];

/** The web page. Its files are public: it reads all data from the operations, with the session of its user. */
@ApiExcludeController()
@Public()
@Controller()
export class PagesController {
  constructor(private readonly files: PageFiles) {}

  /** One file for all addresses. The page shows what the address names. */
  @Get(['/', ':entity/:project/r/call/:id', ':entity/:project/weave', ':entity/:project/weave/*'])
  async index(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { bytes, etag } = this.files.index();
    void reply.headers({ ...PAGE_HEADERS, etag });
    if (request.headers['if-none-match'] === etag) await reply.status(304).send();
    else await reply.send(bytes);
  }

  /** The address of a project has the form of an operation's path, so that only browsers get the page. */
  @Get(':entity/:project')
  async project(
    @Param() { entity, project }: { readonly entity: string; readonly project: string },
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (!wantsHtml(request) || !PROJECT_ID.test(`${entity}/${project}`) || isOperation(request)) {
      throw new NotFoundException();
    }
    await this.index(request, reply);
  }

  @Get('assets/:name')
  async asset(
    @Param('name') name: string,
    @Req() { headers }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const file = this.files.asset(name);
    if (file === undefined) throw new NotFoundException();
    const encoding = encodingFor(headers['accept-encoding'], file.encoded.keys());
    if (encoding !== undefined) void reply.header('content-encoding', encoding);
    const bytes = encoding === undefined ? file.bytes : file.encoded.get(encoding)!;
    await reply
      .headers({
        'content-type': file.type,
        'cache-control': IMMUTABLE,
        'x-content-type-options': 'nosniff',
        vary: 'accept-encoding',
      })
      .send(bytes);
  }
}

const wantsHtml = ({ headers }: FastifyRequest) => /\btext\/html\b/.test(headers.accept ?? '');

function isOperation({ server, url }: FastifyRequest): boolean {
  const path = url.split('?', 1)[0]!;
  return OPERATION_METHODS.some((method) => server.hasRoute({ method, url: path }));
}
