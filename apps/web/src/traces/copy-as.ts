/** The request of a list as programs that send the same one. None of them contains the key. */
type Request = Readonly<Record<string, unknown>> & { readonly project_id: string };

export function asCurl(url: string, request: Request): string {
  const body = JSON.stringify(request).replaceAll("'", `'\\''`);
  return `curl -s -u "api:$WANDB_API_KEY" -H 'Content-Type: application/json' \\
  ${url}/calls/stream_query \\
  -d '${body}'`;
}

export function asPython({ project_id, ...request }: Request): string {
  const names = ['filter', 'query', 'sort_by', 'limit'] as const;
  const args = names
    .filter((name) => request[name] !== undefined)
    .map((name) => `    ${name}=${pythonOf(request[name])},\n`);
  return `import weave

client = weave.init(${JSON.stringify(project_id)})
for call in client.get_calls(
${args.join('')}    include_costs=True,
):
    print(call.id, call.op_name, call.summary)
`;
}

export function asTypeScript(url: string, request: Request): string {
  return `const response = await fetch(${JSON.stringify(`${url}/calls/stream_query`)}, {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.WANDB_API_KEY}\`,
    'content-type': 'application/json',
  },
  body: JSON.stringify(${JSON.stringify(request, null, 2).replaceAll('\n', '\n  ')}),
});
const calls = (await response.text()).trim().split('\\n').map((line) => JSON.parse(line));
console.log(calls.length);
`;
}

/** JSON is Python apart from three words. */
function pythonOf(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value);
  return `{${members.map(([key, inner]) => `${JSON.stringify(key)}: ${pythonOf(inner)}`).join(', ')}}`;
}
