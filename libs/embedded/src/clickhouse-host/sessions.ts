import type { Connection } from './connection.js';
import { engineError, SESSION_IS_LOCKED } from './engine-errors.js';

const IDLE_MS = 60_000;

interface Session {
  readonly connection: Connection;
  isBusy: boolean;
  expiry?: NodeJS.Timeout;
}

/**
 * Connections that clients hold by name, for temporary tables and SET; forgotten after an idle minute.
 * Unlike on a server, a failed statement also discards the state of the session (see `Connection`).
 */
export class Sessions {
  private readonly byId = new Map<string, Session>();

  constructor(private readonly connect: () => Connection) {}

  async lend<R>(id: string, work: (connection: Connection) => Promise<R>): Promise<R> {
    const session = this.byId.get(id) ?? this.open(id);
    if (session.isBusy) {
      throw engineError(
        SESSION_IS_LOCKED,
        'SESSION_IS_LOCKED',
        'Session is locked by a concurrent client.',
      );
    }
    session.isBusy = true;
    clearTimeout(session.expiry);
    try {
      return await work(session.connection);
    } finally {
      session.isBusy = false;
      session.expiry = setTimeout(() => this.forget(id), IDLE_MS).unref();
    }
  }

  private open(id: string): Session {
    const session = { connection: this.connect(), isBusy: false };
    this.byId.set(id, session);
    return session;
  }

  private forget(id: string): void {
    this.byId.get(id)?.connection.close();
    this.byId.delete(id);
  }
}
