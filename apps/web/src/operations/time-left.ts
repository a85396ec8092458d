const DAY_SECONDS = 86_400;

/** The server reports one day when it lasts longer, or does not fill at all. */
export function timeLeft(seconds: number): string {
  if (seconds >= DAY_SECONDS) return 'more than a day left';
  if (seconds === 0) return 'writes are refused';
  if (seconds >= 3600) return `about ${Math.floor(seconds / 3600)} h left`;
  if (seconds >= 60) return `about ${Math.floor(seconds / 60)} min left`;
  return `about ${seconds} s left`;
}

/** `1 s`, `10 min`. */
export const period = (seconds: number): string =>
  seconds % 60 === 0 && seconds > 0 ? `${seconds / 60} min` : `${seconds} s`;
