import { Injectable } from '@nestjs/common';
import { HeddleError } from '@app/errors';
import { ALERT_CURSOR, ALERT_RULES, ALERT_STATUSES, Redis } from '@app/redis';
import { RULES_MAX, type AlertRule, type AlertStatus } from './alert-rule.js';

/** The project has the maximum number of rules. */
class TooManyRulesError extends HeddleError {
  readonly code = 'too_many_alert_rules';
}

/** Projects with rules: the job reads all of them. */
const PROJECTS_MAX = 10_000;

/** Replaces the rules of a project if no other process has changed them since they were read (compare and set). */
const REPLACE = `
local now = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if now ~= ARGV[2] then return 0 end
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('HDEL', KEYS[2], ARGV[1])
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
end
return 1`;

/** A project whose rules were deleted or erased meanwhile gets no status. */
const SAVE = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
return 1`;

type Statuses = Readonly<Record<string, AlertStatus>>;

interface ProjectAlerts {
  readonly rules: readonly AlertRule[];
  /** By the id of the rule. A rule that was never evaluated has none. */
  readonly statuses: Statuses;
}

/**
 * The alert rules of all projects and their statuses, as hashes in Redis. Requests write rules and one job writes statuses,
 * so that neither overwrites the other.
 */
@Injectable()
export class AlertStore {
  constructor(private readonly redis: Redis) {}

  async read(projectId: string): Promise<ProjectAlerts> {
    const [rules, statuses] = await Promise.all([
      this.redis.hget(ALERT_RULES, projectId),
      this.redis.hget(ALERT_STATUSES, projectId),
    ]);
    return {
      rules: rules === null ? [] : (JSON.parse(rules) as AlertRule[]),
      statuses: statuses === null ? {} : (JSON.parse(statuses) as Statuses),
    };
  }

  async add(projectId: string, rule: AlertRule): Promise<void> {
    if ((await this.redis.hlen(ALERT_RULES)) >= PROJECTS_MAX)
      throw new TooManyRulesError(
        `The server has at most ${PROJECTS_MAX} projects with alert rules; delete the rules of one first.`,
      );
    await this.change(projectId, (rules) => {
      if (rules.length >= RULES_MAX)
        throw new TooManyRulesError(
          `A project has at most ${RULES_MAX} alert rules; delete one first.`,
        );
      return [...rules, rule];
    });
  }

  /** Resolves to the changed rule, or to undefined if there is none with this id. */
  async update(
    projectId: string,
    id: string,
    changed: (rule: AlertRule) => AlertRule,
  ): Promise<AlertRule | undefined> {
    const rules = await this.change(projectId, (all) =>
      all.map((rule) => (rule.id === id ? changed(rule) : rule)),
    );
    return rules.find((rule) => rule.id === id);
  }

  /** Resolves to the deleted rule, or to undefined if there is none with this id. */
  async remove(projectId: string, id: string): Promise<AlertRule | undefined> {
    let removed: AlertRule | undefined;
    await this.change(projectId, (all) => {
      removed = all.find((rule) => rule.id === id);
      return all.filter((rule) => rule !== removed);
    });
    return removed;
  }

  /** Removes everything about alerts of an erased project. */
  async forget(projectId: string): Promise<void> {
    await this.redis.multi().hdel(ALERT_RULES, projectId).hdel(ALERT_STATUSES, projectId).exec();
  }

  /** Removes the name of an erased user. The rules stay, because they belong to the project. */
  async forgetUser(projectId: string, user: string): Promise<void> {
    await this.change(projectId, (all) =>
      all.map((rule) => (rule.createdBy === user ? { ...rule, createdBy: '' } : rule)),
    );
  }

  /** The projects with rules that a user has created. */
  async projectsOf(user: string): Promise<string[]> {
    const all = Object.entries(await this.redis.hgetall(ALERT_RULES));
    return all
      .filter(([, text]) => (JSON.parse(text) as AlertRule[]).some((one) => one.createdBy === user))
      .map(([projectId]) => projectId);
  }

  /** The projects with rules; first those after the one at which the last run ended. */
  async projects(): Promise<string[]> {
    const [names, last] = await Promise.all([
      this.redis.hkeys(ALERT_RULES),
      this.redis.get(ALERT_CURSOR),
    ]);
    const sorted = names.sort();
    const next = sorted.findIndex((name) => name > (last ?? ''));
    return next <= 0 ? sorted : [...sorted.slice(next), ...sorted.slice(0, next)];
  }

  async saveCursor(projectId: string): Promise<void> {
    await this.redis.set(ALERT_CURSOR, projectId);
  }

  async saveStatuses(projectId: string, statuses: Statuses): Promise<void> {
    const args = [projectId, JSON.stringify(statuses)];
    await this.redis.eval(SAVE, 2, ALERT_RULES, ALERT_STATUSES, ...args);
  }

  private async change(
    projectId: string,
    changed: (rules: readonly AlertRule[]) => readonly AlertRule[],
  ): Promise<readonly AlertRule[]> {
    for (;;) {
      const text = (await this.redis.hget(ALERT_RULES, projectId)) ?? '';
      const rules = changed(text === '' ? [] : (JSON.parse(text) as AlertRule[]));
      const next = rules.length === 0 ? '' : JSON.stringify(rules);
      const args = [projectId, text, next];
      if ((await this.redis.eval(REPLACE, 2, ALERT_RULES, ALERT_STATUSES, ...args)) === 1)
        return rules;
    }
  }
}
