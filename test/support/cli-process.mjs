// Runs operators' commands one after the other in one process, because a process for each takes a second to start.
// Receives the arguments of a command, and replies with its exit code and its output.

const entry = new URL('../../dist/apps/cli/src/main.js', import.meta.url).href;
const exit = process.exit.bind(process);
let runs = 0;

/** Ends the command where a real exit would. */
class ExitError extends Error {}

process.on('disconnect', () => exit());
process.on('message', async ({ args }) => {
  const result = { code: undefined, stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr']) {
    process[stream].write = (text) => {
      if (result.code === undefined) result[stream] += text;
      return true;
    };
  }
  process.exit = (code) => {
    result.code ??= code ?? process.exitCode ?? 0;
    throw new ExitError();
  };
  process.exitCode = undefined;
  process.argv = [process.execPath, entry, ...args];
  try {
    await import(`${entry}?run=${runs++}`);
  } catch (error) {
    if (!(error instanceof ExitError)) result.stderr += String(error);
  }
  process.send(result);
});
