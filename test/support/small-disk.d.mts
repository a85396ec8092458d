export interface SmallDisk {
  readonly directory: string;
  freeBytes(): number;
  fill(options?: { readonly leaveBytes?: number }): void;
  free(): void;
  unmount(): void;
}
export function whyNoSmallDisk(): string | undefined;
export function mountSmallDisk(options: { readonly bytes: number }): SmallDisk;
