// Values, prompts, datasets, ops, images and sounds are read back as published.
import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { deflateSync, crc32 as zlibCrc32 } from 'node:zlib';
import * as weave from 'weave';
import { callsOf, run, scenario } from './scenario.mjs';

const fresh = (client, ref) =>
  client.get(new weave.ObjectRef(ref.projectId, ref.objectId, ref.digest));

scenario('publishes values as versions and reads them back', async (client) => {
  const first = await client.publish({ a: 1, list: [1.5, null, 'x'] }, 'config');
  const second = await client.publish({ a: 2 }, 'config');
  const again = await client.publish({ a: 1, list: [1.5, null, 'x'] }, 'config');

  deepEqual(await fresh(client, first), { a: 1, list: [1.5, null, 'x'] });
  deepEqual(await fresh(client, second), { a: 2 });
  equal(again.digest, first.digest);
  notEqual(second.digest, first.digest);
  const latest = await client.get(new weave.ObjectRef(client.projectId, 'config', 'latest'));
  equal(latest.a, 1);
});

scenario(
  'publishes a model with its fields and its op, and lists it by its class',
  async (client) => {
    class Greeter extends weave.WeaveObject {
      constructor(greeting) {
        super({ name: 'greeter', description: 'greets' });
        this.greeting = greeting;
        this.predict = weave.op(this, this.predict);
      }

      async predict(name) {
        return `${this.greeting}, ${name}`;
      }
    }

    const ref = await client.publish(new Greeter('Hello'));
    const back = await fresh(client, ref);
    deepEqual([back.greeting, back.description, back._class_name], ['Hello', 'greets', 'Greeter']);
    ok(back.predict.includes('/op/'), back.predict);
    const { data } = await client.traceServerApi.objs.objsQueryObjsQueryPost({
      project_id: client.projectId,
      filter: { is_op: false, latest_only: true },
    });
    deepEqual(
      data.objs.map(({ object_id, digest }) => [object_id, digest]),
      [['greeter', ref.digest]],
    );
  },
);

scenario('publishes prompts and fills them in after reading them back', async (client) => {
  const text = await client.publish(
    new weave.StringPrompt({ content: 'Hello {name}' }),
    'greeting',
  );
  const messages = [{ role: 'user', content: 'I am {name}' }];
  const chat = await client.publish(new weave.MessagesPrompt({ messages }), 'chat');

  const greeting = await weave.StringPrompt.get(client, text.uri());
  equal(greeting.format({ name: 'Ada' }), 'Hello Ada');
  const talk = await weave.MessagesPrompt.get(client, chat.uri());
  deepEqual(talk.format({ name: 'Ada' }), [{ role: 'user', content: 'I am Ada' }]);
});

scenario('publishes a dataset and reads its rows in order, also repeated rows', async (client) => {
  const rows = Array.from({ length: 120 }, (_, n) => ({ n: n % 100, text: `row ${n % 100}` }));
  const dataset = new weave.Dataset({ name: 'numbers', rows });
  const ref = await dataset.save();

  const back = await fresh(client, ref);
  equal(back.length, 120);
  deepEqual(
    back.rows.rows.map(({ n }) => n),
    rows.map(({ n }) => n),
  );
  equal(back.getRow(119).text, 'row 19');
});

scenario('stores a version of an op for each of its sources', async (client) => {
  const sources = [async (x) => 3 * x, async (x) => x + x + x];
  const [first, second] = sources.map((source) => weave.op(source, { name: 'triple' }));
  deepEqual([await first(2), await second(2), await first(3)], [6, 6, 9]);

  const calls = await callsOf(client);
  equal(new Set(calls.map(({ op_name }) => op_name)).size, 2);
  const every = `weave:///${client.projectId}/op/triple:*`;
  equal((await client.getCalls({ op_names: [every] })).length, 3);
});

scenario('stores an image and a sound of a call, and returns their bytes', async (client) => {
  const image = png();
  const sound = wav();
  const draw = weave.op(async function draw() {
    return { image: weave.weaveImage({ data: image }), sound: weave.weaveAudio({ data: sound }) };
  });

  await draw();
  const [call] = await callsOf(client);
  const digest = call.output.image.files['image.png'];
  equal(call.output.image.weave_type.type, 'PIL.Image.Image');
  const content = await client.traceServerApi.file.fileContentFileContentPost(
    { project_id: client.projectId, digest },
    { format: 'arrayBuffer' },
  );
  deepEqual(Buffer.from(content.data), image);
  ok(Object.keys(call.output.sound.files).length > 0);
});

/** One red pixel. */
function png() {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
  };
  const head = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  const pixel = deflateSync(Buffer.from([0, 255, 0, 0]));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const end = Buffer.alloc(0);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', pixel), chunk('IEND', end)]);
}

/** A tenth of a second of silence. */
function wav() {
  const data = Buffer.alloc(800);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

function uint32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

/** Node has its own crc32 only from 22.2 on. */
function crc32(bytes) {
  if (zlibCrc32) return zlibCrc32(bytes);
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}

await run();
