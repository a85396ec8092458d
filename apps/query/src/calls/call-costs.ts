import { Injectable } from '@nestjs/common';

/** What calls cost. Prices are not stored yet: no call has a cost. */
@Injectable()
export class CallCosts {
  /** `summary.weave.costs` of each call that has any, as JSON text by call id. */
  async ofCalls(_projectId: string, _ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return new Map();
  }
}
