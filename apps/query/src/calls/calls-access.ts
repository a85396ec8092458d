import { requireAccess, requireRefAccess, type Principal } from '@app/auth';
import type { CallsFilter } from '@app/contracts';
import type { ReadAuthorizer } from '../read-authorizer.js';
import type { IncomingRead, ReadContext } from '../read-context.js';

/** Which calls a read is about. */
interface FilteredCalls {
  readonly project_id: string;
  readonly filter?: CallsFilter | null;
}

/** Authorizes a read of the calls of a project that a filter selects. */
export function authorizeCalls(
  authorizer: ReadAuthorizer,
  read: IncomingRead,
  { project_id, filter }: FilteredCalls,
): Promise<ReadContext> {
  requireFilterAccess(read.principal, filter);
  return authorizer.authorizeRead(read, project_id);
}

/** Throws AccessDeniedError when a filter names a ref or a run of a project that the caller may not read. */
function requireFilterAccess(principal: Principal, filter?: CallsFilter | null): void {
  const { op_names, input_refs, output_refs, wb_run_ids } = filter ?? {};
  const refs = [op_names, input_refs, output_refs].flatMap((list) => list ?? []);
  requireRefAccess(principal, 'read', refs);
  requireAccess(principal, 'read', new Set((wb_run_ids ?? []).flatMap(projectOfRun)));
}

/** A run is `entity/project/run`, or a bare name in the project of the request, which is authorised anyway. */
function projectOfRun(run: string): string[] {
  const [entity, project, name] = run.split('/');
  return name === undefined ? [] : [`${entity}/${project}`];
}
