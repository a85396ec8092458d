import { requireAccess, requireRefAccess, type Principal } from '@app/auth';
import type { CallsFilter } from '@app/contracts';

/** Throws AccessDeniedError when a filter names a ref or a run of a project that the caller may not read. */
export function requireFilterAccess(principal: Principal, filter?: CallsFilter | null): void {
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
