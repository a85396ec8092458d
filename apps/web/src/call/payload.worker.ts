import { readPayload } from './payload.js';
import { JsonDocument } from './json-document.js';
import type { PayloadCall, PayloadReply } from './payload-messages.js';

/*
 * Reads and scans one payload, so that the page itself never has more of it than it shows. A payload of tens of
 * megabytes takes longer to scan than a frame.
 */
let document: JsonDocument | undefined;

const reply = (message: PayloadReply) => self.postMessage(message);

self.addEventListener('message', ({ data }: MessageEvent<PayloadCall>) => {
  void run(data).then(
    (result) => reply({ call: data.call, result }),
    (error: unknown) =>
      reply({ call: data.call, error: error instanceof Error ? error.message : String(error) }),
  );
});

async function run(message: PayloadCall): Promise<unknown> {
  if (message.name === 'open') {
    const onProgress = (bytes: number, total: number) => reply({ bytes, total });
    const { text, bytes } = await readPayload(message.args[0], true, undefined, onProgress);
    document = new JsonDocument(text);
    return bytes;
  }
  if (document === undefined) throw new Error('The payload was not opened.');
  switch (message.name) {
    case 'rows':
      return document.rows(...message.args);
    case 'value':
      return document.value(...message.args);
    case 'search':
      return document.search(...message.args);
    case 'blob':
      return new Blob([document.text], { type: 'application/json' });
  }
}
