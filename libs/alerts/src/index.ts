export {
  ALERT_KINDS,
  nextStatus,
  type AlertEvent,
  type AlertKind,
  type AlertRule,
  type AlertStatus,
  type Delivery,
  type Reading,
  type Webhook,
} from './alert-rule.js';
export { alertMessage, shownWebhook } from './alert-message.js';
export { changedRule, newRule, type RuleRequest } from './alert-request.js';
export { AlertStore } from './alert-store.js';
export { afterAttempt } from './delivery.js';
export { WebhookAddresses } from './webhook-address.js';
export { WebhookSender, type WebhookResult } from './webhook.js';
