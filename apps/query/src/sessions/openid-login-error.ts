import { HeddleError } from '@app/errors';

/** Why a login by an issuer failed. The page has a sentence for each. */
export type OpenIdLoginProblem =
  'issuer_unavailable' | 'login_expired' | 'login_refused' | 'no_group' | 'no_user';

export class OpenIdLoginError extends HeddleError {
  readonly code = 'openid_login_failed';

  constructor(
    readonly problem: OpenIdLoginProblem,
    options?: ErrorOptions,
  ) {
    super(problem, options);
  }
}
