import { Body, Controller, Inject, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { parseRef, RefError, RefsReadRequest, RefsReadResponse, type Ref } from '@app/contracts';
import type { QueryConfig } from '@app/config';
import { Operation, ProblemError } from '@app/http';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import { explainedObject, streamed, type Piece } from '../response-stream.js';
import { QUERY_CONFIG } from '../tokens.js';
import { RefResolver } from './ref-resolver.js';
import { tooManyBytes } from './value-memory.js';

const REFS_MAX = 1000;

@ApiTags('refs')
@Controller('refs')
export class RefsController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly resolver: RefResolver,
    @Inject(QUERY_CONFIG) private readonly config: Pick<QueryConfig, 'maxExpandedBytes'>,
  ) {}

  @Operation('read_batch', {
    needs: 'read',
    summary: 'Read the values that refs point to',
    body: RefsReadRequest,
    response: RefsReadResponse,
  })
  async read(
    @Body() body: RefsReadRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<StreamableFile> {
    if (body.refs.length > REFS_MAX) {
      const reason = `refs names ${body.refs.length} refs; send at most ${REFS_MAX} at a time.`;
      throw new ProblemError('invalid_request', reason);
    }
    const texts = [...new Set(body.refs)];
    const refs = texts.map(parseValueRef);
    const projectIds = new Set(refs.map((ref) => ref.projectId));
    const context = await this.authorizer.authorizeRead(read, ...projectIds);
    const resolved = await this.resolver.resolve(refs, context);
    const byText = new Map(texts.map((text, i) => [text, resolved[i] ?? null]));
    const values = body.refs.map((text) => byText.get(text) ?? null);
    this.requireFewBytes(values);
    const response = await streamed(explainedObject(list(values), context));
    return new StreamableFile(response, { type: 'application/json' });
  }

  /** A request may name the same ref often, and the response has its value as often. */
  private requireFewBytes(values: readonly (Buffer | null)[]): void {
    const { maxExpandedBytes } = this.config;
    const bytes = values.reduce((sum, value) => sum + (value?.length ?? 0), 0);
    if (bytes > maxExpandedBytes) throw tooManyBytes(maxExpandedBytes);
  }
}

/** `{"vals":[…]}` in pieces. */
async function* list(values: readonly (Buffer | null)[]): AsyncGenerator<Piece, void> {
  yield '{"vals":[';
  for (const [i, value] of values.entries()) {
    if (i > 0) yield ',';
    yield value ?? 'null';
  }
  yield ']}';
}

function parseValueRef(text: string): Ref {
  const ref = parseRef(text);
  if (ref.kind === 'call') throw new RefError(`${text.slice(0, 200)} is a call, not an object.`);
  if (ref.kind === 'table' && ref.extra.length === 0) {
    throw new RefError(`${text.slice(0, 200)} is a whole table; use table/query.`);
  }
  return ref;
}
