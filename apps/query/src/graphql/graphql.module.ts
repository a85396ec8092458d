import { Module } from '@nestjs/common';
import { GraphqlController } from './graphql.controller.js';

@Module({ controllers: [GraphqlController] })
export class GraphqlModule {}
