import { PROJECT_ID } from '@app/contracts';
import { InvalidBodyError } from './problems.js';

/** The project in the query of a URL. The global pipe checks bodies only. */
export function queryProject(projectId: unknown): string {
  if (typeof projectId === 'string' && PROJECT_ID.test(projectId)) return projectId;
  const msg = 'must have the form <entity>/<project>';
  throw new InvalidBodyError([{ loc: ['query', 'project_id'], msg, type: 'matches' }]);
}
