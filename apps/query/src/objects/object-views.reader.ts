import { Injectable } from '@nestjs/common';
import { CodeReader } from '../files/code.reader.js';
import type { ReadContext } from '../read-context.js';
import { isOfView, ObjectValue, shownVersion, type ObjectView } from './object-views.js';
import { ObjectsReader } from './objects.reader.js';
import type { ObjectRow } from './objects.sql.js';

export interface ViewPage {
  readonly limit: number | null;
  readonly offset: number | null;
}

/** Reads objects through the routes of their class. */
@Injectable()
export class ObjectViewsReader {
  constructor(
    private readonly objects: ObjectsReader,
    private readonly codes: CodeReader,
  ) {}

  /** One version as JSON text; throws ProblemError when it does not exist or is of another class. */
  async read(
    view: ObjectView,
    version: { readonly projectId: string; readonly objectId: string; readonly digest: string },
    context: ReadContext,
  ): Promise<string> {
    const { projectId: project_id, objectId: object_id, digest } = version;
    const row = await this.objects.find({ project_id, object_id, digest }, context, (one) =>
      isOfView(view, one),
    );
    const [shown] = await this.shown(view, project_id, [row], context);
    return shown!;
  }

  /** The versions as JSON texts. */
  async *list(
    view: ObjectView,
    projectId: string,
    { limit, offset }: ViewPage,
    context: ReadContext,
  ): AsyncGenerator<string, void> {
    const request = { project_id: projectId, filter: view.filter, limit, offset };
    for await (const rows of this.objects.rows(request, context))
      yield* await this.shown(view, projectId, rows, context);
  }

  private async shown(
    view: ObjectView,
    projectId: string,
    rows: readonly ObjectRow[],
    context: ReadContext,
  ): Promise<string[]> {
    const digests = view.hasCode ? rows.map((row) => new ObjectValue(row).codeDigest ?? '') : [];
    const wanted = digests.filter((digest) => digest !== '');
    const codes =
      wanted.length > 0 ? await this.codes.texts(projectId, wanted, context) : undefined;
    return rows.map((row, i) => shownVersion(view, row, codes?.get(digests[i] ?? '') ?? ''));
  }
}
