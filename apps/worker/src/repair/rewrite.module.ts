import { Module } from '@nestjs/common';
import { RewriteLock } from './rewrite-lock.js';
import { ShadowTables } from './shadow-tables.js';

/** What everything needs that rewrites whole tables. */
@Module({ providers: [RewriteLock, ShadowTables], exports: [RewriteLock, ShadowTables] })
export class RewriteModule {}
