import {
  Controller,
  Get,
  Inject,
  Module,
  Res,
  type DynamicModule,
  type FactoryProvider,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '@app/auth';
import { version } from '@app/config';
import { metricsPage, runChecks, type Check, type Health } from '@app/observability';

const CHECKS = Symbol('checks');
const VERSION = Symbol('version');

/** The oldest supported version of the Python client. */
const MIN_PYTHON_CLIENT = '0.50.0';

/** Health and version of the server. No key needed. */
@ApiExcludeController()
@Public()
@Controller()
class HealthController {
  constructor(
    @Inject(CHECKS) private readonly checks: readonly Check[],
    @Inject(VERSION) private readonly version: string,
  ) {}

  /** Liveness: the process runs. */
  @Get('healthz')
  alive(): { status: string } {
    return { status: 'ok' };
  }

  /** Readiness: the dependencies are available and the workers make progress. */
  @Get('readyz')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Health> {
    const health = await runChecks(this.checks);
    void reply.status(health.ready ? 200 : 503);
    return health;
  }

  @Get('health')
  health(): { status: string } {
    return { status: 'ok' };
  }

  /** Prometheus metrics. They have counts and no data of users. */
  @Get('metrics')
  async metrics(@Res() reply: FastifyReply): Promise<void> {
    const page = await metricsPage();
    await reply.type('text/plain; version=0.0.4; charset=utf-8').send(page);
  }

  @Get('version')
  versions(): { version: string } {
    return { version: this.version };
  }

  @Get('server_info')
  serverInfo(): { min_required_weave_python_version: string; trace_server_version: string } {
    return {
      min_required_weave_python_version: MIN_PYTHON_CLIENT,
      trace_server_version: this.version,
    };
  }
}

type ChecksFactory = Pick<FactoryProvider<readonly Check[]>, 'useFactory' | 'inject'>;

@Module({})
export class HealthModule {
  static register(checks: ChecksFactory): DynamicModule {
    return {
      module: HealthModule,
      controllers: [HealthController],
      providers: [
        { provide: CHECKS, inject: checks.inject ?? [], useFactory: checks.useFactory },
        { provide: VERSION, useFactory: version },
      ],
    };
  }
}
