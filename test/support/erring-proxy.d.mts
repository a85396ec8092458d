export class ErringProxy {
  private constructor();
  static to(url: string): Promise<ErringProxy>;
  readonly url: string;
  nextCode: (path: string) => number | undefined;
  losesResponse: (path: string) => boolean;
  readonly sent: ReadonlyMap<number, number>;
  readonly lost: number;
  close(): Promise<void>;
}
