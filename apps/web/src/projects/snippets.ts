export interface Snippet {
  readonly name: string;
  readonly steps: readonly string[];
}

/** The shortest programs that send a trace to this server. */
export const snippets = (url: string): readonly Snippet[] => [
  {
    name: 'Python',
    steps: [
      `pip install weave
export WANDB_BASE_URL=${url} WANDB_API_KEY=… WEAVE_USE_SERVER_CACHE=false`,
      `import weave

weave.init("me/first")


@weave.op
def greet(name: str) -> str:
    return f"Hello, {name}"


greet("Ada")`,
    ],
  },
  {
    name: 'TypeScript',
    steps: [
      `npm install weave
export WF_TRACE_SERVER_URL=${url} WANDB_API_KEY=…`,
      `import * as weave from 'weave';

const client = await weave.init('me/first');
const greet = weave.op(async function greet(name) {
  return \`Hello, \${name}\`;
});

await greet('Ada');
await client.waitForBatchProcessing();`,
    ],
  },
];
