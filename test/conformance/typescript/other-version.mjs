// Imported before a program that uses another version of the client than the pinned one.
import { register } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';

const from = pathToFileURL(join(process.env.TEST_TYPESCRIPT, 'package.json')).href;

export function resolve(specifier, context, next) {
  const isClient = specifier === 'weave' || specifier.startsWith('weave/');
  return next(specifier, isClient ? { ...context, parentURL: from } : context);
}

if (isMainThread) register(import.meta.url);
