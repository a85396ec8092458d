import { Command } from 'commander';
import { SessionStore } from '@app/auth';
import { recordAction } from './audit.command.js';
import { JSON_OPTION, report, withRedis, type JsonOption } from './context.js';

/** Sessions by an API key end with `keys revoke`; these are the ones without a key. */
export function sessionsCommand(): Command {
  return new Command('sessions').description('manage logins of the page').addCommand(
    new Command('end')
      .description('end the sessions of a user who logged in by the OpenID Connect issuer')
      .requiredOption('--user <name>', 'the user, as `OIDC_USER_CLAIM` names them')
      .option(...JSON_OPTION)
      .action(endSessions),
  );
}

async function endSessions({ user, ...options }: JsonOption & { user: string }): Promise<void> {
  await withRedis(async (redis, config) => {
    const detail = { user, sessions: await new SessionStore(redis).endOpenId(user) };
    await recordAction({ action: 'sessions.end', projectId: '', detail }, config);
    report(options, detail, [
      `Ended ${detail.sessions} sessions of ${user}; all processes refuse them within 5 seconds.`,
    ]);
  });
}
