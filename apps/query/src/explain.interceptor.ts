import {
  Injectable,
  StreamableFile,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { JsonResponse, printResponse } from '@app/http';
import { explanationOf } from './read-context.js';

/** Adds `explain` to a JSON response when the client requested it. Streams end with it instead; see response-stream.ts. */
@Injectable()
export class ExplainInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    return next.handle().pipe(map((response: unknown) => explained(response, request)));
  }
}

function explained(response: unknown, request: FastifyRequest): unknown {
  const explanation = explanationOf(request);
  if (!explanation || !response || response instanceof StreamableFile) return response;
  const text = printResponse(response);
  if (!text.startsWith('{')) return response;
  const comma = text === '{}' ? '' : ',';
  return new JsonResponse(`${text.slice(0, -1)}${comma}"explain":${JSON.stringify(explanation)}}`);
}
