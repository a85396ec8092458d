const PLAIN =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|TERM|LD_LIBRARY_PATH|DYLD_\w+|NODE_OPTIONS)$/;

/** Our environment without settings and secrets of Heddle or anyone else. */
export function plainEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => PLAIN.test(name)));
}
