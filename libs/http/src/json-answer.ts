/** An answer whose text is already JSON: payloads go out as the text they came in as. */
export class JsonAnswer {
  constructor(readonly text: string) {}
}

/** How every answer becomes bytes. */
export function printAnswer(answer: unknown): string {
  return answer instanceof JsonAnswer ? answer.text : JSON.stringify(answer);
}
