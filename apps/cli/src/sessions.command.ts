import { Command } from 'commander';
import { SessionStore } from '@app/auth';
import { readConfig } from '@app/config';
import { createLogger } from '@app/observability';
import { connectRedis } from '@app/redis';
import { recordAction } from './audit.command.js';
import { say } from './context.js';

/** Sessions by an API key end with `keys revoke`; these are the ones without a key. */
export function sessionsCommand(): Command {
  return new Command('sessions').description('manage logins of the page').addCommand(
    new Command('end')
      .description('end the sessions of a user who logged in by the OpenID Connect issuer')
      .requiredOption('--user <name>', 'the user, as `OIDC_USER_CLAIM` names them')
      .action(({ user }: { user: string }) => endSessions(user)),
  );
}

async function endSessions(user: string): Promise<void> {
  const config = readConfig();
  const redis = connectRedis(config.redis, 'consumer', createLogger('cli', config.logLevel));
  try {
    const ended = await new SessionStore(redis).endOpenId(user);
    const detail = { user, sessions: ended };
    await recordAction({ action: 'sessions.end', projectId: '', detail }, config);
    say(`Ended ${ended} sessions of ${user}; all processes refuse them within 5 seconds.`);
  } finally {
    redis.disconnect();
  }
}
