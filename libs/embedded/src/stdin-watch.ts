/**
 * For programs that do not exit when their stdin ends. The shell replaces itself with the program, so that pid and exit
 * code are the program's own. A subshell in the same process group waits for the end of stdin and then terminates the
 * program. It reads stdin as fd 3, because a shell connects background jobs to /dev/null. Only the owner may read the files
 * that the program writes.
 */
const SCRIPT = `umask 077
exec 3<&0
(while read -r _; do :; done <&3; kill -TERM $$) >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null`;

export function withStdinWatch(
  command: string,
  args: readonly string[],
): { command: string; args: string[] } {
  return { command: '/bin/sh', args: ['-c', SCRIPT, 'stdin-watch', command, ...args] };
}
