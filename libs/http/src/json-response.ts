/** An answer whose text is already JSON: payloads go out as the text they came in as. */
export class JsonResponse {
  constructor(readonly text: string) {}
}

/** How every answer becomes bytes. */
export function printResponse(answer: unknown): string {
  return answer instanceof JsonResponse ? answer.text : JSON.stringify(answer);
}
