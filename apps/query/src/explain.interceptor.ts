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

/** Adds to a JSON answer what it took to find it, when the caller wants to know. A stream says it in its last line. */
@Injectable()
export class ExplainInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    return next.handle().pipe(map((answer: unknown) => explained(answer, request)));
  }
}

function explained(answer: unknown, request: FastifyRequest): unknown {
  const explanation = explanationOf(request);
  if (!explanation || !answer || answer instanceof StreamableFile) return answer;
  const text = printResponse(answer);
  if (!text.startsWith('{')) return answer;
  const comma = text === '{}' ? '' : ',';
  return new JsonResponse(`${text.slice(0, -1)}${comma}"explain":${JSON.stringify(explanation)}}`);
}
