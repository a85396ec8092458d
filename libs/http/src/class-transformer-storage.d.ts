/** Where `@Type` keeps what it was told; class-transformer has no other way to ask for it. */
declare module 'class-transformer/cjs/storage.js' {
  export const defaultMetadataStorage: {
    findTypeMetadata(
      target: abstract new () => object,
      property: string,
    ): { readonly typeFunction: () => new () => object } | undefined;
  };
}
