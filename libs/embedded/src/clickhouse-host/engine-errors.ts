import { HeddleError } from '@app/errors';

/** An error as ClickHouse would return it: a number that programs decide on, a sentence for people. */
export class EngineError extends HeddleError {
  readonly code = 'engine_failed';

  constructor(
    readonly serverCode: number,
    message: string,
  ) {
    super(message);
  }
}

export const SYNTAX_ERROR = 62;
export const NOT_IMPLEMENTED = 48;
export const TIMEOUT_EXCEEDED = 159;
export const SESSION_IS_LOCKED = 373;
export const AUTHENTICATION_FAILED = 516;
const UNKNOWN_EXCEPTION = 1002;

export function engineError(code: number, name: string, sentence: string): EngineError {
  return new EngineError(code, `Code: ${code}. DB::Exception: ${sentence} (${name})`);
}

/** The engine gives its errors as text that begins with the code; some paths put words before it. */
export function asEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const found = /Code: (\d+)\. DB::Exception: [\s\S]*/.exec(text);
  if (found) return new EngineError(Number(found[1]), found[0]);
  return engineError(UNKNOWN_EXCEPTION, 'UNKNOWN_EXCEPTION', text);
}

/** As the server's own HTTP handler chooses them. */
const STATUSES: ReadonlyMap<number, readonly number[]> = new Map([
  [
    400,
    [
      6, 8, 10, 20, 26, 27, 36, 38, 41, 43, 44, 53, 57, 62, 69, 70, 72, 117, 130, 131, 386, 456,
      457,
    ],
  ],
  [403, [164, 192, 193, 291, 497, 516]],
  [404, [16, 46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 336]],
  [408, [159]],
  [413, [229, 307, 396]],
  [501, [48]],
]);

export function httpStatus(code: number): number {
  for (const [status, codes] of STATUSES) if (codes.includes(code)) return status;
  return 500;
}
