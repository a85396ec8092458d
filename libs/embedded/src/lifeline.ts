/**
 * For programs that do not watch their stdin themselves. The shell becomes the program, so pid and exit
 * code are the program's own; a subshell it leaves in the same process group waits for the end of stdin
 * and then ends the program. Stdin is kept as fd 3, because background lists get /dev/null instead.
 */
const SCRIPT = `exec 3<&0
(while read -r _; do :; done <&3; kill -TERM $$) >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null`;

export function withLifeline(
  command: string,
  args: readonly string[],
): { command: string; args: string[] } {
  return { command: '/bin/sh', args: ['-c', SCRIPT, 'lifeline', command, ...args] };
}
