import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Connection, type EnginePlace } from './connection.js';
import { asEngineError } from './engine-errors.js';
import type { Engine } from './engine.js';
import { Pool } from './pool.js';
import { sendBlocks, sendBytes, type ReplyForm, type Summary } from './reply.js';
import type { StatementRequest } from './request.js';
import { Sessions } from './sessions.js';
import { stringLiteral } from './sql-text.js';
import { withSpooledRows } from './spooled-rows.js';
import { planStatement, type Statement } from './statement.js';
import { StreamThread } from './stream-thread.js';

type Of<Kind extends Statement['kind']> = Extract<Statement, { kind: Kind }>;
type Lend = <R>(work: (connection: Connection) => Promise<R>) => Promise<R>;

/** Runs statements on the engine and sends what they give. */
export class StatementRunner {
  private readonly connections: Pool<Connection>;
  private readonly threads: Pool<StreamThread>;
  private readonly sessions: Sessions;
  /** Kept free of other work, so that a full pool cannot delay the end of a cancelled statement. */
  private readonly control: Pool<Connection>;

  constructor(
    private readonly engine: Engine,
    private readonly place: EnginePlace,
    poolSize: number,
  ) {
    this.control = new Pool(() => this.connect(), 1);
    this.connections = new Pool(() => this.connect(), poolSize);
    this.threads = new Pool(() => new StreamThread(place), poolSize);
    this.sessions = new Sessions(() => this.connect());
  }

  async run(request: StatementRequest, response: ServerResponse): Promise<void> {
    const statement = planStatement(request);
    switch (statement.kind) {
      case 'nothing':
        return sendBytes(response, this.form(request, 'Null'), new Uint8Array(), {});
      case 'insert':
      case 'insert from file':
        return this.insert(statement, request, response);
      case 'stream':
        // A thread has a connection of its own, which would not see the session's temporary tables.
        if (request.sessionId !== undefined) return this.plain(statement, request, response);
        return this.stream(statement, request, response);
      case 'plain':
        return this.plain(statement, request, response);
    }
  }

  private async insert(
    statement: Of<'insert'> | Of<'insert from file'>,
    request: StatementRequest,
    response: ServerResponse,
  ) {
    const result = await this.lender(request)(async (connection) => {
      await connection.use(request.database);
      return statement.kind === 'insert'
        ? connection.insert(statement.sql, statement.data)
        : withSpooledRows(this.place.path, statement.data, (file) =>
            connection.insertFromFile(statement.sql(file)),
          );
    });
    const summary: Summary = {
      readRows: result.rowsWritten,
      writtenRows: result.rowsWritten,
      writtenBytes: result.bytesWritten,
      elapsedSeconds: result.elapsed,
    };
    await sendBytes(response, this.form(request, 'Null'), new Uint8Array(), summary);
  }

  private async plain(
    statement: Of<'plain'> | Of<'stream'>,
    request: StatementRequest,
    response: ServerResponse,
  ) {
    const prelude = statement.kind === 'plain' ? statement.prelude : undefined;
    const lend = this.lender(request, prelude !== undefined);
    const result = await lend(async (connection) => {
      await connection.use(request.database);
      if (prelude) await connection.run(prelude, 'Null');
      return this.unlessGone(response, statement.sql, (sql) =>
        connection.run(sql, statement.format),
      );
    });
    const summary = {
      readRows: result.rowsRead,
      readBytes: result.bytesRead,
      elapsedSeconds: result.elapsed,
    };
    await sendBytes(response, this.form(request, statement.format), result.bytes, summary);
  }

  private stream(statement: Of<'stream'>, request: StatementRequest, response: ServerResponse) {
    const { format, maxSeconds } = statement;
    return this.threads.lend((thread) =>
      this.unlessGone(response, statement.sql, async (sql) => {
        const { database } = request;
        const blocks = thread.stream({ database, sql, format, maxSeconds });
        try {
          await sendBlocks(response, this.form(request, format), blocks);
        } finally {
          // The thread may be lent again only when it has sent all blocks: the next statement would get the remaining ones.
          await blocks.return();
        }
      }),
    );
  }

  /** A statement that changes its connection gets a connection that is closed afterwards. */
  private lender(request: StatementRequest, changesConnection = false): Lend {
    const { sessionId } = request;
    if (sessionId !== undefined) return (work) => this.sessions.lend(sessionId, work);
    if (changesConnection) return (work) => this.lendOnce(work);
    return (work) => this.connections.lend(work);
  }

  private async lendOnce<R>(work: (connection: Connection) => Promise<R>): Promise<R> {
    const connection = this.connect();
    try {
      return await work(connection);
    } finally {
      connection.close();
    }
  }

  /** Ends the statement in the engine when the client disconnects; a comment at its head identifies it. */
  private async unlessGone<R>(
    response: ServerResponse,
    sql: string,
    work: (sql: string) => Promise<R>,
  ): Promise<R> {
    if (response.destroyed) throw new Error('The client has disconnected.');
    const tag = `/* heddle:${randomUUID()} */`;
    const kill = () => {
      if (!response.writableFinished) void this.kill(tag);
    };
    response.once('close', kill);
    try {
      return await work(`${tag} ${sql}`);
    } finally {
      response.off('close', kill);
    }
  }

  private async kill(tag: string): Promise<void> {
    const sql = `KILL QUERY WHERE startsWith(query, ${stringLiteral(tag)}) ASYNC`;
    try {
      await this.control.lend((connection) => connection.run(sql, 'TabSeparated'));
    } catch (error) {
      console.error(`A statement without a client goes on: ${asEngineError(error).message}`);
    }
  }

  private connect(): Connection {
    return new Connection(this.engine, this.place);
  }

  private form({ queryId, wantsGzip }: StatementRequest, format: string): ReplyForm {
    return { queryId, format, gzip: wantsGzip };
  }
}
