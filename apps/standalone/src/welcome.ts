export interface Welcome {
  readonly url: string;
  /** The new key; undefined after the first start. */
  readonly key: string | undefined;
  /** The file with the key of the first start. */
  readonly keyFile: string;
  readonly dataDirectory: string;
  /** HEDDLE_API_KEY is set. */
  readonly keyIsGiven: boolean;
}

/** Printed when the server is ready. */
export function welcomeText({ url, key, keyFile, dataDirectory, keyIsGiven }: Welcome): string {
  const shown = key ?? (keyIsGiven ? '$HEDDLE_API_KEY' : `$(cat ${keyFile})`);
  const origin = keyIsGiven
    ? 'the value of HEDDLE_API_KEY'
    : key === undefined
      ? `in ${keyFile}`
      : `${key}  (stored in ${keyFile})`;
  return `
  Heddle   ${url}
  API key  ${origin}
  Data     ${dataDirectory}
  API      ${url}/docs

  Python      export WANDB_BASE_URL=${url} WANDB_API_KEY=${shown} WEAVE_USE_SERVER_CACHE=false
              python -c 'import weave; weave.init("me/first")'

  TypeScript  export WF_TRACE_SERVER_URL=${url} WANDB_API_KEY=${shown}
              node -e 'require("weave").init("me/first")'

ready
`;
}
