import { randomUUID } from 'node:crypto';
import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { alertMessage, AlertStore, changedRule, newRule, type AlertRule } from '@app/alerts';
import { actorOf, Caller, requireAccess, type Principal } from '@app/auth';
import {
  AlertCreateRequest,
  AlertHistoryResponse,
  AlertRecord,
  AlertRequest,
  AlertsQueryRequest,
  AlertsQueryResponse,
  AlertTestResponse,
  AlertUpdateRequest,
  NewAlertResponse,
} from '@app/contracts';
import { Operation, ProblemError } from '@app/http';
import { AuditTrail } from '@app/queue';
import { millisOf } from '@app/wire';
import { Clock } from '../clock.js';
import { alertRecord, eventRecord } from './alert-record.js';
import { Webhooks } from './webhooks.js';

/** Readers see the rules of a project. A rule sends data to a URL, so that only an administrator changes one. */
@ApiTags('alerts')
@Controller('alerts')
export class AlertsController {
  constructor(
    private readonly store: AlertStore,
    private readonly webhooks: Webhooks,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  @Operation('create', {
    needs: 'admin',
    summary: 'Create an alert rule',
    body: AlertCreateRequest,
    response: NewAlertResponse,
  })
  async create(
    @Body() body: AlertCreateRequest,
    @Caller() caller: Principal,
  ): Promise<NewAlertResponse> {
    const { project_id, kind, name, threshold, percentile, window_minutes, op } = body;
    requireAccess(caller, 'admin', [project_id]);
    const webhookUrl = this.webhooks.checked(body.webhook_url);
    const request = { name, threshold, percentile, windowMinutes: window_minutes, op, webhookUrl };
    const rule = newRule(kind, request, caller.user, this.now());
    await this.store.add(project_id, rule);
    await this.recordAudit('alerts.create', caller, project_id, rule);
    return { ...alertRecord(rule, undefined), secret: rule.webhook?.secret ?? null };
  }

  @Operation('query', {
    needs: 'read',
    summary: 'List the alert rules of a project with their states',
    body: AlertsQueryRequest,
    response: AlertsQueryResponse,
  })
  async query(
    @Body() { project_id }: AlertsQueryRequest,
    @Caller() caller: Principal,
  ): Promise<AlertsQueryResponse> {
    requireAccess(caller, 'read', [project_id]);
    const { rules, statuses } = await this.store.read(project_id);
    return { alerts: rules.map((rule) => alertRecord(rule, statuses[rule.id])) };
  }

  @Operation('update', {
    needs: 'admin',
    summary: 'Change an alert rule',
    body: AlertUpdateRequest,
    response: NewAlertResponse,
  })
  async update(
    @Body() body: AlertUpdateRequest,
    @Caller() caller: Principal,
  ): Promise<NewAlertResponse> {
    const { project_id, id, name, threshold, percentile, window_minutes, op } = body;
    requireAccess(caller, 'admin', [project_id]);
    const request = {
      ...{ name, threshold, percentile, windowMinutes: window_minutes, op },
      webhookUrl: this.webhooks.checked(body.webhook_url),
      isEnabled: body.is_enabled,
      rotatesSecret: body.rotate_secret,
    };
    const { rule: before, status } = await this.found({ project_id, id });
    const rule = await this.store.update(project_id, id, (one) =>
      changedRule(one, request, this.now()),
    );
    if (rule === undefined) throw unknown(id);
    await this.recordAudit('alerts.update', caller, project_id, rule);
    const isNew = rule.webhook?.secret !== before.webhook?.secret;
    return { ...alertRecord(rule, status), secret: (isNew && rule.webhook?.secret) || null };
  }

  @Operation('delete', {
    needs: 'admin',
    summary: 'Delete an alert rule and its history',
    body: AlertRequest,
    response: AlertRecord,
  })
  async delete(
    @Body() { project_id, id }: AlertRequest,
    @Caller() caller: Principal,
  ): Promise<AlertRecord> {
    requireAccess(caller, 'admin', [project_id]);
    const rule = await this.store.remove(project_id, id);
    if (rule === undefined) throw unknown(id);
    await this.recordAudit('alerts.delete', caller, project_id, rule);
    return alertRecord(rule, undefined);
  }

  @Operation('test', {
    needs: 'admin',
    summary: 'Send a test to the webhook of an alert rule, and wait for its response',
    body: AlertRequest,
    response: AlertTestResponse,
  })
  async test(
    @Body() { project_id, id }: AlertRequest,
    @Caller() caller: Principal,
  ): Promise<AlertTestResponse> {
    requireAccess(caller, 'admin', [project_id]);
    const { rule } = await this.found({ project_id, id });
    if (rule.webhook === null)
      throw new ProblemError('invalid_request', 'This alert rule has no webhook.');
    const message = { id: randomUUID(), body: alertMessage(project_id, rule, null) };
    await this.recordAudit('alerts.test', caller, project_id, rule);
    const { status, tookMs, error } = await this.webhooks.test(project_id, rule.webhook, message);
    return { is_delivered: error === null, status, took_ms: tookMs, error };
  }

  @Operation('history', {
    needs: 'read',
    summary: 'The changes of state of an alert rule, with their deliveries',
    body: AlertRequest,
    response: AlertHistoryResponse,
  })
  async history(
    @Body() body: AlertRequest,
    @Caller() caller: Principal,
  ): Promise<AlertHistoryResponse> {
    requireAccess(caller, 'read', [body.project_id]);
    const { status } = await this.found(body);
    return { events: (status?.events ?? []).map(eventRecord) };
  }

  private async found({ project_id, id }: AlertRequest) {
    const { rules, statuses } = await this.store.read(project_id);
    const rule = rules.find((one) => one.id === id);
    if (rule === undefined) throw unknown(id);
    return { rule, status: statuses[id] };
  }

  /** Without the webhook, whose URL may be a credential. */
  private recordAudit(
    action: string,
    caller: Principal,
    projectId: string,
    { id, name, kind, threshold, webhook }: AlertRule,
  ): Promise<void> {
    const detail = { id, name, kind, threshold, has_webhook: webhook !== null };
    return this.audit.record({ ...actorOf(caller), action, projectId, detail });
  }

  private now() {
    return millisOf(this.clock.now());
  }
}

const unknown = (id: string) =>
  new ProblemError('alert_rule_not_found', `There is no alert rule ${id}.`);
