import { HeddleError } from '@app/errors';

export class RestoreError extends HeddleError {
  readonly code = 'backup_failed';
}
