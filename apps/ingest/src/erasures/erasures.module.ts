import { Module } from '@nestjs/common';
import { ErasuresController } from './erasures.controller.js';

@Module({ controllers: [ErasuresController] })
export class ErasuresModule {}
