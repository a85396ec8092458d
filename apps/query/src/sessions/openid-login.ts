import { Inject, Injectable } from '@nestjs/common';
import * as openId from 'openid-client';
import type { BegunLogin, Grant } from '@app/auth';
import type { OpenIdConfig, QueryConfig } from '@app/config';
import { QUERY_CONFIG } from '../tokens.js';
import { grantOfClaims, type Claims } from './openid-claims.js';
import { OpenIdLoginError } from './openid-login-error.js';

const CALLBACK_PATH = '/session/openid/callback';
const TIMEOUT_SECONDS = 10;
const RETURN_TO_MAX = 2048;

/** A login that begins: where to send the browser, and what it stores until it comes back. */
interface LoginStart {
  readonly url: string;
  readonly login: BegunLogin;
}

/** Logins by the authorization code flow of OpenID Connect, with PKCE, state and nonce. */
@Injectable()
export class OpenIdLogin {
  private readonly config: OpenIdConfig | undefined;
  private issuer: Promise<openId.Configuration> | undefined;

  constructor(@Inject(QUERY_CONFIG) config: Pick<QueryConfig, 'openId'>) {
    this.config = config.openId;
  }

  /** What the page calls the issuer; undefined when API keys are the only logins. */
  get name(): string | undefined {
    return this.config?.name;
  }

  async start(returnTo: string): Promise<LoginStart> {
    const config = this.required();
    const issuer = await this.discovered(config);
    const login: BegunLogin = {
      state: openId.randomState(),
      nonce: openId.randomNonce(),
      verifier: openId.randomPKCECodeVerifier(),
      returnTo: localPath(returnTo, config.publicUrl),
    };
    const url = openId.buildAuthorizationUrl(issuer, {
      redirect_uri: config.publicUrl + CALLBACK_PATH,
      scope: config.scopes,
      state: login.state,
      nonce: login.nonce,
      code_challenge: await openId.calculatePKCECodeChallenge(login.verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, login };
  }

  /** Exchanges the code in the query of the callback. Rejects with OpenIdLoginError. */
  async finish(search: string, login: BegunLogin): Promise<Grant> {
    const config = this.required();
    const issuer = await this.discovered(config);
    const claims = await this.claims(issuer, config, search, login);
    return grantOfClaims(claims, config);
  }

  /** The path of the page after a login. */
  returnTo(login: BegunLogin | undefined): string {
    return localPath(login?.returnTo ?? '/', this.required().publicUrl);
  }

  private required(): OpenIdConfig {
    if (this.config === undefined) throw new OpenIdLoginError('login_refused');
    return this.config;
  }

  /** Reads the metadata of the issuer at the first login. A failure is tried again at the next one. */
  private async discovered(config: OpenIdConfig): Promise<openId.Configuration> {
    this.issuer ??= discover(config);
    try {
      return await this.issuer;
    } catch (error) {
      this.issuer = undefined;
      throw new OpenIdLoginError('issuer_unavailable', { cause: error });
    }
  }

  /** Some issuers have the groups in the ID token, others only at the userinfo endpoint. */
  private async claims(
    issuer: openId.Configuration,
    config: OpenIdConfig,
    search: string,
    login: BegunLogin,
  ): Promise<Claims> {
    try {
      const callback = new URL(config.publicUrl + CALLBACK_PATH + search);
      const tokens = await openId.authorizationCodeGrant(issuer, callback, {
        pkceCodeVerifier: login.verifier,
        expectedState: login.state,
        expectedNonce: login.nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      const isComplete = config.userClaim in claims && config.groupsClaim in claims;
      if (isComplete || issuer.serverMetadata().userinfo_endpoint === undefined) return claims;
      const more = await openId.fetchUserInfo(issuer, tokens.access_token, claims.sub);
      return { ...more, ...claims };
    } catch (error) {
      throw new OpenIdLoginError('login_refused', { cause: error });
    }
  }
}

async function discover(config: OpenIdConfig): Promise<openId.Configuration> {
  const issuer = new URL(config.issuer);
  // Settings accept plain http for a loopback address only.
  const execute = issuer.protocol === 'http:' ? [openId.allowInsecureRequests] : [];
  const authentication =
    config.clientSecret === '' ? openId.None() : openId.ClientSecretBasic(config.clientSecret);
  return openId.discovery(issuer, config.clientId, {}, authentication, {
    // Verifies the signature of the ID token, too, and does not rely on TLS alone.
    execute: [...execute, openId.enableNonRepudiationChecks],
    timeout: TIMEOUT_SECONDS,
  });
}

/** A path of our own origin, so that a link cannot use the login to send a user elsewhere. */
function localPath(text: string, publicUrl: string): string {
  if (text.length > RETURN_TO_MAX || !URL.canParse(text, publicUrl)) return '/';
  const { origin, pathname, search } = new URL(text, publicUrl);
  return origin === publicUrl && !pathname.startsWith('//') ? pathname + search : '/';
}
