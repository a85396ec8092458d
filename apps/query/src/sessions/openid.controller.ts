import { Controller, Get, Header, Logger, Query, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Authenticator, loginCookie, loginIn, Public, sessionCookie } from '@app/auth';
import { LoginMethodsResponse } from '@app/contracts';
import { ApiRefusals, ProblemError } from '@app/http';
import { LoginAudit } from './login-audit.js';
import { OpenIdLogin } from './openid-login.js';
import { OpenIdLoginError } from './openid-login-error.js';

/** Nest has set 200 before the handler runs. */
const FOUND = 302;

/** Logins of the page by an OpenID Connect issuer. They are navigations of the browser: all of them end in a redirect. */
@ApiTags('sessions')
@Public()
@Controller('session')
export class OpenIdController {
  private readonly logger = new Logger(OpenIdController.name);

  constructor(
    private readonly openId: OpenIdLogin,
    private readonly authenticator: Authenticator,
    private readonly audit: LoginAudit,
  ) {}

  @Get('methods')
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'How one can log in to the page', security: [] })
  @ApiOkResponse({ type: LoginMethodsResponse })
  methods(): LoginMethodsResponse {
    return { openid: this.openId.name ?? null };
  }

  @Get('openid')
  @ApiOperation({ summary: 'Log in by the OpenID Connect issuer', security: [] })
  @ApiQuery({ name: 'return_to', required: false, description: 'The path to open afterwards.' })
  @ApiFoundResponse({ description: 'To the issuer; to the page when the issuer is unavailable.' })
  @ApiRefusals()
  async start(
    @Query('return_to') returnTo: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.requireIssuer();
    await this.orShowProblem(reply, '/', async () => {
      await this.authenticator.countOpenIdAttempt(request.ip);
      const { url, login } = await this.openId.start(typeof returnTo === 'string' ? returnTo : '/');
      void reply.header('set-cookie', loginCookie(login, request));
      return url;
    });
  }

  @Get('openid/callback')
  @ApiOperation({ summary: 'Where the issuer sends the browser after a login', security: [] })
  @ApiFoundResponse({ description: 'To the page. Set-Cookie has the session.' })
  @ApiRefusals()
  async finish(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.requireIssuer();
    const login = loginIn(request);
    const returnTo = this.openId.returnTo(login);
    void reply.header('set-cookie', loginCookie(undefined, request));
    await this.orShowProblem(reply, returnTo, async () => {
      if (login === undefined) throw new OpenIdLoginError('login_expired');
      await this.authenticator.countOpenIdAttempt(request.ip);
      const grant = await this.openId.finish(new URL(request.url, 'http://host').search, login);
      const { principal, secret } = await this.authenticator.logInUser(grant, request);
      await this.audit.record(principal);
      void reply.header('set-cookie', sessionCookie(secret, request));
      return returnTo;
    });
  }

  /** Without an issuer these routes do not exist. */
  private requireIssuer(): void {
    if (this.openId.name === undefined) throw new ProblemError('not_found');
  }

  /** Redirects to the result of the work. The page shows the problem of a login that failed, which it reads from the fragment. */
  private async orShowProblem(
    reply: FastifyReply,
    page: string,
    work: () => Promise<string>,
  ): Promise<void> {
    void reply.header('cache-control', 'no-store');
    try {
      await reply.redirect(await work(), FOUND);
    } catch (error) {
      if (!(error instanceof OpenIdLoginError)) throw error;
      const { problem, cause } = error;
      this.logger.warn(
        `Login failed (${problem})${cause instanceof Error ? `: ${cause.message}` : ''}`,
      );
      await reply.redirect(`${page}#login=${problem}`, FOUND);
    }
  }
}
