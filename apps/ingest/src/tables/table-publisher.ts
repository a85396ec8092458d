import { Injectable } from '@nestjs/common';
import { asBuffer } from '@app/http';
import { PartsPublisher, type Part } from '../parts.publisher.js';
import type { NewTable } from './read-table.js';
import { TablesReader } from './tables.reader.js';

@Injectable()
export class TablePublisher {
  constructor(
    private readonly parts: PartsPublisher,
    private readonly tables: TablesReader,
  ) {}

  /** Resolves when the table can be read. A table that is already stored is not written again. */
  async publish({ projectId, digest, parts }: NewTable): Promise<void> {
    if (await this.tables.isStored(projectId, digest)) return;
    for (const facts of parts) await this.parts.publish(facts.map(withBuffers));
  }
}

const withBuffers = (part: Part): Part =>
  part.map((fact) => ({ ...fact, body: asBuffer(fact.body) }));
