export interface Issuer {
  readonly settings: Record<string, string>;
  stop(): void;
}
export function startIssuer(publicUrl: string, grants: string): Promise<Issuer>;
