import { Inject, Injectable } from '@nestjs/common';
import { WebhookAddresses, WebhookSender, type Webhook, type WebhookResult } from '@app/alerts';
import type { IngestConfig } from '@app/config';
import { RateLimit, Redis } from '@app/redis';
import { INGEST_CONFIG } from '../tokens.js';

const TESTS_PER_MINUTE = 10;

/** Checks the URLs of webhooks, and sends tests to them. */
@Injectable()
export class Webhooks {
  private readonly addresses: WebhookAddresses;
  private readonly sender: WebhookSender;
  private readonly tests: RateLimit;

  constructor(@Inject(INGEST_CONFIG) { webhooks }: Pick<IngestConfig, 'webhooks'>, redis: Redis) {
    this.addresses = new WebhookAddresses(webhooks.allowedNetworks);
    this.sender = new WebhookSender(this.addresses);
    this.tests = new RateLimit(redis, {
      name: 'alert-tests',
      points: TESTS_PER_MINUTE,
      seconds: 60,
      message: `A project may test its webhooks ${TESTS_PER_MINUTE} times per minute; retry later.`,
    });
  }

  /** Throws WebhookRefusedError for a URL that no delivery would accept. */
  checked(url: string | null | undefined): string | null | undefined {
    if (url) this.addresses.checkUrl(url);
    return url;
  }

  /** Tests are limited, because each holds a connection while the receiver does not respond. */
  async test(
    projectId: string,
    webhook: Webhook,
    message: { readonly id: string; readonly body: string },
  ): Promise<WebhookResult> {
    await this.tests.consume(projectId);
    return this.sender.send(webhook, message);
  }
}
