import { setImmediate as nextTurn } from 'node:timers/promises';
import { Command } from 'ioredis';

/** Copied in one turn of the event loop: new memory takes a millisecond or two for a megabyte. */
const COPIED_BYTES = 4 * 1024 * 1024;
const NONE = Buffer.alloc(0);

/**
 * SET of a value that may have many bytes. ioredis copies a value into its command in the turn of the event loop in which it joins all
 * commands of a transaction, which is a copy, too. `prepare` makes the first copy before, in steps with other requests between.
 */
export class SetBytesCommand extends Command {
  private prepared: Buffer | undefined;

  constructor(
    private readonly key: string,
    private value: Buffer,
  ) {
    super('set', [key, value], { replyEncoding: 'utf8' });
  }

  async prepare(): Promise<void> {
    const { key, value } = this;
    const head = `*3\r\n$3\r\nset\r\n$${Buffer.byteLength(key)}\r\n${key}\r\n$${value.length}\r\n`;
    const start = Buffer.byteLength(head);
    const bytes = Buffer.allocUnsafeSlow(start + value.length + 2);
    bytes.write(head);
    for (let at = 0; at < value.length; at += COPIED_BYTES) {
      await laterTurn();
      value.copy(bytes, start + at, at, at + COPIED_BYTES);
    }
    bytes.write('\r\n', start + value.length);
    await laterTurn();
    this.prepared = bytes;
    // One copy suffices until Redis replies.
    this.value = NONE;
    this.args[1] = NONE;
  }

  override toWritable(socket: object): string | Buffer {
    return this.prepared ?? super.toWritable(socket);
  }
}

/** In the phase that reads sockets and messages, the next immediate still comes before timers and other sockets. */
async function laterTurn(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
