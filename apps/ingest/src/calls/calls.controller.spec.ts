import { admin } from '@app/auth';
import type { NewFact } from '@app/events';
import { RecordsBody } from '@app/http';
import type { AuditTrail, FactClock, FactPublisher } from '@app/queue';
import { micros } from '@app/wire';
import { aStart, startItem } from '../../../../test/support/records.js';
import { Clock } from '../clock.js';
import type { CallDeletion } from './call-deletion.js';
import { CallIntake } from './call-intake.js';
import { CallsController } from './calls.controller.js';
import { CallsV2Controller } from './calls-v2.controller.js';

const ORDERED_AT = 1_900_000_000_000_000;

function anIngest() {
  const published: NewFact[] = [];
  const publisher = { publish: async (facts: NewFact[]) => void published.push(...facts) };
  const intake = new CallIntake(
    publisher as unknown as FactPublisher,
    new Clock(),
    { next: async () => micros(ORDERED_AT) } as unknown as FactClock,
    { redactKeys: [] },
  );
  const audit = { record: async () => undefined };
  const calls = new CallsController(intake, {} as CallDeletion, audit as unknown as AuditTrail);
  return { published, calls, callsV2: new CallsV2Controller(intake) };
}

const bodyOf = (text: string) => new RecordsBody(Buffer.from(text));
const body = (value: object) => bodyOf(JSON.stringify(value));
const ann = admin('ann');

describe('ingest of calls', () => {
  it('orders renames by the clock that all ingest processes share', async () => {
    const { calls, published } = anIngest();

    await calls.update({ project_id: 'acme/demo', call_id: 'c', display_name: 'new' }, ann);

    expect(published).toMatchObject([{ kind: 'rename', receivedAt: ORDERED_AT }]);
  });

  it('gives the same ids to a retry of the same user, and other ids to other requests', async () => {
    const { calls } = anIngest();
    const request = body({ start: aStart({ id: null, trace_id: null }) });

    const first = await calls.start(request, ann, 'retry-1');

    expect(await calls.start(request, ann, 'retry-1')).toEqual(first);
    expect(first.id).not.toBe(first.trace_id);
    expect(await calls.start(request, ann, 'retry-2')).not.toEqual(first);
    expect(await calls.start(request, admin('bob'), 'retry-1')).not.toEqual(first);
    expect((await calls.start(request, ann)).id).not.toBe((await calls.start(request, ann)).id);
  });

  it('gives every item of a batch ids of its own', async () => {
    const { calls } = anIngest();
    const item = startItem({ id: null, trace_id: null });

    const { res } = await calls.upsertBatch(body({ batch: [item, item] }), ann, 'retry-1');

    expect(new Set(res.flatMap((response) => Object.values(response))).size).toBe(4);
  });

  it('publishes nothing of a request that names a project the key may not write', async () => {
    const { published, calls } = anIngest();
    const request = calls.upsertBatch(body({ batch: [startItem()] }), { ...ann, scope: '' });

    await expect(request).rejects.toMatchObject({ code: 'forbidden' });
    expect(published).toEqual([]);
  });

  it('publishes nothing of a body that is not JSON, small or large', async () => {
    const { published, calls, callsV2 } = anIngest();
    const text = JSON.stringify({
      batch: [startItem(), startItem({ inputs: { a: 'x'.repeat(40_000) } })],
    });
    const path = { entity: 'acme', project: 'demo' };

    for (const broken of [
      '{"batch":[1 2]}',
      text.slice(0, -1),
      `${text}}`,
      text.replace('x', '\n'),
    ]) {
      const refused = { code: 'not_json', status: 400 };
      await expect(calls.start(bodyOf(broken), ann)).rejects.toMatchObject(refused);
      await expect(calls.end(bodyOf(broken), ann)).rejects.toMatchObject(refused);
      await expect(calls.upsertBatch(bodyOf(broken), ann)).rejects.toMatchObject(refused);
      await expect(callsV2.start(bodyOf(broken), ann, path)).rejects.toMatchObject(refused);
      await expect(callsV2.end(bodyOf(broken), ann, path)).rejects.toMatchObject(refused);
      await expect(callsV2.complete(bodyOf(broken), ann, path)).rejects.toMatchObject(refused);
    }
    expect(published).toEqual([]);
  });

  it('refuses a body that is not JSON before the path, and the path before the records', async () => {
    const { callsV2 } = anIngest();
    const path = { entity: 'acme', project: 'demo' };
    const complete = (text: string) => callsV2.complete(bodyOf(text), { ...ann, scope: 'b' }, path);

    await expect(complete('{"batch":[')).rejects.toMatchObject({ code: 'not_json' });
    await expect(complete('{"batch":7}')).rejects.toMatchObject({ code: 'forbidden' });
  });
});
