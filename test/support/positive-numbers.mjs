/** The numbers of a command line, or their defaults. Anything else, such as `--help`, prints the usage and ends the program. */
export function positiveNumbers(given, defaults, usage) {
  return defaults.map((byDefault, i) => {
    const number = Number(given[i] ?? byDefault);
    if (number > 0) return number;
    console.error(`Usage: ${usage}`);
    process.exit(2);
  });
}
