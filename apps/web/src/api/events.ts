/** One event of a text/event-stream. */
export interface StreamEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** Collects lines of an event stream into events. Comments and unknown fields are ignored. */
export class EventParser {
  private event = '';
  private id: string | undefined;
  private data: string[] = [];

  /** The event that an empty line completes. */
  push(line: string): StreamEvent | undefined {
    if (line === '') return this.flush();
    const [, name, value = ''] = /^([^:]*)(?:: ?([^]*))?$/.exec(line) ?? [];
    if (name === 'event') this.event = value;
    if (name === 'id') this.id = value;
    if (name === 'data') this.data.push(value);
    return undefined;
  }

  private flush(): StreamEvent | undefined {
    const { event, id, data } = this;
    this.event = '';
    this.data = [];
    if (data.length === 0) return undefined;
    return { event: event || 'message', id, data: data.join('\n') };
  }
}
