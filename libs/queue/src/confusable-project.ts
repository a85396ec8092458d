import { HeddleError } from '@app/errors';

/** The id of a new project could be mistaken for another. */
export class ConfusableProjectError extends HeddleError {
  readonly code = 'invalid_project_id';

  constructor(projectId: string, flaw: string) {
    super(
      `No project can be created with the id ${JSON.stringify(projectId)}: it ${flaw}, so that it could be mistaken for another project.`,
    );
  }
}

/** Characters that are not visible: controls of direction and joining, fillers, and spaces other than the usual one. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}\u1680\u2800]/u;
const SPACE_AT_AN_END = /^\s|\s$/;

/** Why an id could be mistaken for another; undefined when it could not. */
export function flawOf(projectId: string): string | undefined {
  if (projectId.split('/').some((part) => SPACE_AT_AN_END.test(part)))
    return 'begins or ends with a space, or has one beside its slash';
  const [invisible] = INVISIBLE.exec(projectId) ?? [];
  if (invisible !== undefined) return `contains the invisible character ${codePoint(invisible)}`;
  const usual = projectId.normalize('NFKC');
  return usual === projectId
    ? undefined
    : `contains characters that are usually written as in ${JSON.stringify(usual)}`;
}

const codePoint = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
