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

/** Feedback may only have refs into its own project. */
export function requireProject(field: string, text: string, projectId: string): void {
  if (text.startsWith(OPAQUE)) return;
  const [entity, project, kind, target] = text.slice(REF_SCHEME.length).split('/');
  if (!text.startsWith(REF_SCHEME) || !entity || !project || !kind || !target) {
    const shown = JSON.stringify(text.slice(0, 200));
    throw new ProblemError('invalid_ref', `${field}: ${shown} is not a ref such as ${EXAMPLE}.`);
  }
  if (`${entity}/${project}` === projectId) return;
  throw new ProblemError(
    'invalid_ref',
    `${field} is a ref into ${entity}/${project}, but the feedback is for ${projectId}.`,
  );
}

const EXAMPLE = `${REF_SCHEME}acme/demo/call/<call_id>`;

export function callIdOf(text: string): string {
  const ref =
    text.startsWith(`${REF_SCHEME}`) &&
    /^[^/]+\/[^/]+\/call\/([^/]+)/.exec(text.slice(REF_SCHEME.length));
  return ref ? ref[1]! : '';
}
