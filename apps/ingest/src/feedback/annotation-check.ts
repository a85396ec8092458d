import { Injectable } from '@nestjs/common';
import type { FeedbackCreateRecord } from '@app/contracts';
import { ProblemError } from '@app/http';
import { AnnotationSpecsReader } from './annotation-specs.reader.js';
import { refOf } from './feedback-refs.js';
import { annotationOf, requireRef } from './feedback-rules.js';
import { schemaViolation } from './schema-check.js';

/** Checks annotations against the JSON Schema of their spec. */
@Injectable()
export class AnnotationCheck {
  constructor(private readonly specs: AnnotationSpecsReader) {}

  async check(record: FeedbackCreateRecord): Promise<void> {
    const name = annotationOf(record.feedback_type);
    if (name === undefined) return;
    const text = requireRef(record, 'annotation_ref');
    const ref = refOf('annotation_ref', text);
    if (ref.kind !== 'object') throw bad(`annotation_ref must name an object, not a ${ref.kind}`);
    if (ref.name !== name) {
      throw bad(`annotation_ref names ${ref.name}, but feedback_type names ${name.slice(0, 128)}`);
    }
    const spec = await this.specs.read(ref);
    if (spec === undefined)
      throw bad(`annotation_ref: ${text.slice(0, 300)} is not an AnnotationSpec`);
    requireValue(record, (spec as { field_schema?: unknown }).field_schema);
  }
}

function requireValue({ payload }: FeedbackCreateRecord, schema: unknown): void {
  const members = JSON.parse(payload.toString()) as Record<string, unknown>;
  if (!('value' in members)) throw bad('payload.value is missing');
  if (schema === null || typeof schema !== 'object') return;
  const violation = schemaViolation(schema, members['value']);
  if (violation) throw bad(`payload.value does not satisfy its annotation spec: ${violation}`);
}

const bad = (why: string) => new ProblemError('invalid_request', `${why}.`);
