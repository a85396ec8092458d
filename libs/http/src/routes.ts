import { RequestMethod, type INestApplication, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/internal';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';

/** A method, a path and the handler that serves them. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly module: Type;
  readonly controller: Type;
  readonly handler: () => unknown;
}

/** Every route of the controllers of an application, which need not be started. */
export function routesOf(app: INestApplication): Route[] {
  return [...app.get(ModulesContainer).values()].flatMap(({ metatype, controllers }) =>
    [...controllers.values()].flatMap((wrapper) => routesIn(metatype, wrapper.metatype as Type)),
  );
}

function routesIn(module: Type, controller: Type): Route[] {
  const prototype = controller.prototype as Record<string, () => unknown>;
  return new MetadataScanner()
    .getAllMethodNames(prototype)
    .map((name) => prototype[name]!)
    .filter((handler) => Reflect.hasMetadata(PATH_METADATA, handler))
    .flatMap((handler) =>
      pathsOf(handler).map((path) => ({
        method: RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod],
        path: `/${pathsOf(controller)[0]}/${path}`.replace(/\/+/g, '/').replace(/(?<=.)\/$/, ''),
        module,
        controller,
        handler,
      })),
    );
}

/** A handler may have several paths. */
function pathsOf(target: object): string[] {
  return [Reflect.getMetadata(PATH_METADATA, target) as string | string[]].flat();
}
