import { Injectable } from '@nestjs/common';
import { NoJson, type Value } from '@app/query-language';

/** What has been said about calls. Feedback is not stored yet: no call has any. */
@Injectable()
export class CallFeedback {
  /** `feedback.[type].path` inside a query; the type may be `*`. */
  field(_type: string, _path: readonly string[]): Value {
    return new NoJson();
  }

  /** `annotation_queue_items.queue_id` inside a query. */
  queueId(): Value {
    return new NoJson();
  }

  /** `summary.weave.feedback` of each call that has any, as JSON text by call id. */
  async ofCalls(_projectId: string, _ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return new Map();
  }
}
