import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';

type Class<T extends object = object> = new () => T;

/**
 * A parsed body as its DTO, for class-validator. Only what a DTO declares as a part is made into one; everything else stays
 * the value it was. (class-transformer itself rebuilds every object by its `constructor`, which a request can name.)
 */
export function instanceOf<T extends object>(dto: Class<T>, body: object): T {
  const instance = new dto();
  for (const [name, value] of Object.entries(body)) {
    // No DTO has such a field, and class-validator asks an instance for its constructor.
    if (name in Object.prototype) continue;
    const type = defaultMetadataStorage.findTypeMetadata(dto, name)?.typeFunction();
    Object.defineProperty(instance, name, {
      value: type === undefined ? value : partsOf(type, value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return instance;
}

function partsOf(type: Class, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => partsOf(type, one));
  return value !== null && typeof value === 'object' ? instanceOf(type, value) : value;
}
