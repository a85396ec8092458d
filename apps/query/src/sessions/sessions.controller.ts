import { Body, Controller, Delete, Get, Header, HttpCode, Post, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import {
  Authenticator,
  Caller,
  endedCookie,
  Needs,
  Public,
  sessionCookie,
  sessionEnd,
  type IncomingRequest,
  type Principal,
} from '@app/auth';
import { SessionCreateRequest, SessionResponse } from '@app/contracts';
import { ApiRefusals } from '@app/http';
import { microsOf, printTimestamp } from '@app/wire';
import { LoginAudit } from './login-audit.js';

/** Logins of the page. The secret of a session is only in its cookie, which scripts cannot read. */
@ApiTags('sessions')
@Controller()
export class SessionsController {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly audit: LoginAudit,
  ) {}

  @Public()
  @Post('session')
  @HttpCode(204)
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Log in: exchange an API key for a session cookie',
    description: 'Needs the header `x-heddle-page: 1`, as every request with the cookie does.',
    security: [],
  })
  @ApiBody({ type: SessionCreateRequest })
  @ApiNoContentResponse({ description: 'Set-Cookie has the session.' })
  @ApiRefusals()
  async create(
    @Body() { key }: SessionCreateRequest,
    @Req() request: IncomingRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { principal, secret } = await this.authenticator.logIn(key, request);
    await this.audit.record(principal);
    void reply.header('set-cookie', sessionCookie(secret, request));
  }

  @Get('session')
  @Needs('enter', { isOwnScope: true })
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'Who is logged in, and what they may do' })
  @ApiOkResponse({ type: SessionResponse })
  @ApiRefusals()
  read(
    @Caller() { user, role, scope, keyId }: Principal,
    @Req() { session }: IncomingRequest,
  ): SessionResponse {
    const expires_at = session ? printTimestamp(microsOf(sessionEnd(session))) : null;
    return { user, role, scope, key_id: keyId, expires_at };
  }

  @Delete('session')
  @Needs('enter', { isOwnScope: true })
  @HttpCode(204)
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'Log out' })
  @ApiNoContentResponse({ description: 'The session has ended.' })
  @ApiRefusals()
  async end(
    @Req() request: IncomingRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.authenticator.logOut(request);
    void reply.header('set-cookie', endedCookie(request));
  }
}
