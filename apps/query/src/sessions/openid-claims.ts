import type { Grant } from '@app/auth';
import type { OpenIdConfig } from '@app/config';
import { KEY_USER } from '@app/contracts';
import { OpenIdLoginError } from './openid-login-error.js';

export type Claims = Readonly<Record<string, unknown>>;

type ClaimSettings = Pick<OpenIdConfig, 'userClaim' | 'groupsClaim' | 'grants'>;

/** The user of a login and what they may do. Throws OpenIdLoginError when that is nothing. */
export function grantOfClaims(claims: Claims, settings: ClaimSettings): Grant {
  const user = userOf(claims, settings.userClaim);
  const groups = groupsOf(claims, settings.groupsClaim);
  const granted = settings.grants.find(({ group }) => groups.includes(group));
  if (granted === undefined) throw new OpenIdLoginError('no_group');
  return { user, role: granted.role, scope: granted.scope };
}

/** An address that the issuer has not verified could be the address of another user. */
function userOf(claims: Claims, claim: string): string {
  const user = claims[claim];
  const isUnverified = claim === 'email' && claims['email_verified'] === false;
  if (typeof user !== 'string' || !KEY_USER.test(user) || isUnverified) {
    throw new OpenIdLoginError('no_user');
  }
  return user;
}

/** Issuers send a list, or a text when there is one group. */
function groupsOf(claims: Claims, claim: string): readonly unknown[] {
  const groups = claims[claim];
  return Array.isArray(groups) ? groups : [groups];
}
