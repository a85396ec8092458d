const VERSION_7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * When an id was made, in microseconds, if it says so: both SDKs name a call by a UUID of version 7 as it starts. A hint
 * where to look first and no more, since anybody may name a call as they like.
 */
export function timestampOfId(id: string): number | undefined {
  const parts = VERSION_7.exec(id);
  return parts ? Number.parseInt(`${parts[1]}${parts[2]}`, 16) * 1000 : undefined;
}
