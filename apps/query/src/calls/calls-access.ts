import { requireAccess, requireRefAccess, type Principal } from '@app/auth';
import type { CallsFilter } from '@app/contracts';

/** A filter may name only what its caller may read: also the refs and runs in it belong to projects. */
export function requireFilterAccess(principal: Principal, filter?: CallsFilter | null): void {
  const { op_names, input_refs, output_refs, wb_run_ids } = filter ?? {};
  const refs = [op_names, input_refs, output_refs].flatMap((list) => list ?? []);
  requireRefAccess(principal, 'read', refs);
  requireAccess(principal, 'read', new Set((wb_run_ids ?? []).flatMap(projectOfRun)));
}

/** A run is `entity/project/run`, or the bare name of one in the project that is asked anyway. */
function projectOfRun(run: string): string[] {
  const [entity, project, name] = run.split('/');
  return name === undefined ? [] : [`${entity}/${project}`];
}
