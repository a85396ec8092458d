import { Module, type DynamicModule } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { blobsProvider } from '@app/blobs';
import type { QueryConfig } from '@app/config';
import { AuditController } from './audit/audit.controller.js';
import { AuditReader } from './audit/audit.reader.js';
import { CallCosts } from './calls/call-costs.js';
import { CallExpansion } from './calls/call-expansion.js';
import { CallExtrasReader } from './calls/call-extras.reader.js';
import { CallFieldsReader } from './calls/call-fields.reader.js';
import { CALL_SIZES, USUAL_SIZES } from './calls/call-sizes.js';
import { PayloadSearch } from './calls/payload-search.js';
import { CallStreams } from './calls/call-streams.js';
import { CallFeedback } from './calls/call-feedback.js';
import { CallsController } from './calls/calls.controller.js';
import { CallsReader } from './calls/calls.reader.js';
import { CostsController } from './costs/costs.controller.js';
import { CostsReader } from './costs/costs.reader.js';
import { PricesReader } from './costs/prices.reader.js';
import { ExplainInterceptor } from './explain.interceptor.js';
import { FeedbackController } from './feedback/feedback.controller.js';
import { FeedbackStatsReader } from './feedback/feedback-stats.reader.js';
import { FeedbackReader } from './feedback/feedback.reader.js';
import { FilesController } from './files/files.controller.js';
import { FilesReader } from './files/files.reader.js';
import { ObjectsController } from './objects/objects.controller.js';
import { ObjectsReader } from './objects/objects.reader.js';
import { ReadAuthorizer } from './read-authorizer.js';
import { RetentionController } from './projects/retention.controller.js';
import { RetentionReader } from './projects/retention.reader.js';
import { PagesController } from './pages/pages.controller.js';
import { PagesReader } from './pages/pages.reader.js';
import { ProjectsController } from './projects/projects.controller.js';
import { QueryExecutor } from './query-executor.js';
import { RefResolver } from './refs/ref-resolver.js';
import { RefsController } from './refs/refs.controller.js';
import { RefsReader } from './refs/refs.reader.js';
import { GraphqlController } from './start-up/graphql.controller.js';
import { TablesController } from './tables/tables.controller.js';
import { TableOrders } from './tables/table-orders.js';
import { TablesReader } from './tables/tables.reader.js';
import { ThreadsController } from './threads/threads.controller.js';
import { QUERY_CONFIG } from './tokens.js';
import { CallsStatsReader } from './usage/calls-stats.reader.js';
import { CostsReportReader } from './usage/costs-report.reader.js';
import { UsageController } from './usage/usage.controller.js';
import { UsageReader } from './usage/usage.reader.js';

/** Every read of the wire interface. Store, queue and keys are given by the process it runs in. */
@Module({})
export class QueryModule {
  static register(config: QueryConfig): DynamicModule {
    return {
      module: QueryModule,
      controllers: [
        CallsController,
        GraphqlController,
        ObjectsController,
        TablesController,
        FilesController,
        RefsController,
        RetentionController,
        AuditController,
        PagesController,
        FeedbackController,
        CostsController,
        UsageController,
        ThreadsController,
        ProjectsController,
      ],
      providers: [
        { provide: QUERY_CONFIG, useValue: config },
        { provide: CALL_SIZES, useValue: USUAL_SIZES },
        { provide: APP_INTERCEPTOR, useClass: ExplainInterceptor },
        CallsReader,
        ObjectsReader,
        TablesReader,
        TableOrders,
        FilesReader,
        blobsProvider(config.files),
        RefsReader,
        RefResolver,
        FeedbackReader,
        FeedbackStatsReader,
        CostsReader,
        PricesReader,
        CallsStatsReader,
        CostsReportReader,
        UsageReader,
        ReadAuthorizer,
        RetentionReader,
        AuditReader,
        QueryExecutor,
        CallExtrasReader,
        CallCosts,
        CallExpansion,
        CallFeedback,
        CallFieldsReader,
        PayloadSearch,
        CallStreams,
        PagesReader,
      ],
    };
  }
}
