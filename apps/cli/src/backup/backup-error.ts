import { HeddleError } from '@app/errors';

/** A backup could not be made, read or restored. The sentence says what to do. */
export class BackupError extends HeddleError {
  readonly code = 'backup_failed';
}
