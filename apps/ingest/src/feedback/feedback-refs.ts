import { parseRef, REF_SCHEME, RefError, type Ref } from '@app/contracts';
import { ProblemError } from '@app/http';

const OPAQUE = 'wandb-artifact:///';

/** Parses the ref of a field. The error names the field. */
export function refOf(field: string, text: string): Ref {
  try {
    return parseRef(text);
  } catch (error) {
    if (!(error instanceof RefError)) throw error;
    throw new ProblemError('invalid_ref', `${field}: ${error.message}`);
  }
}

/** Throws unless the text has the form of a ref, into whatever project. */
export function requireRefText(field: string, text: string): void {
  if (text.startsWith(OPAQUE)) return;
  const [entity, project, kind, target] = text.slice(REF_SCHEME.length).split('/');
  if (text.startsWith(REF_SCHEME) && entity && project && kind && target) return;
  const shown = JSON.stringify(text.slice(0, 200));
  throw new ProblemError('invalid_ref', `${field}: ${shown} is not a ref such as ${EXAMPLE}.`);
}

export const isOfProject = (text: string, projectId: string): boolean =>
  text.startsWith(`${REF_SCHEME}${projectId}/`);

/** The schema of an annotation must be one of the project itself. */
export function requireProject(field: string, text: string, projectId: string): void {
  if (isOfProject(text, projectId)) return;
  throw new ProblemError(
    'invalid_ref',
    `${field} must be a ref into ${projectId}, the project of the feedback.`,
  );
}

const EXAMPLE = `${REF_SCHEME}acme/demo/call/<call_id>`;

/** Empty for every other target, and for a call of another project, whose id may be in use in this one. */
export function callIdOf(text: string, projectId: string): string {
  if (!isOfProject(text, projectId)) return '';
  return /^[^/]+\/[^/]+\/call\/([^/]+)/.exec(text.slice(REF_SCHEME.length))?.[1] ?? '';
}
