import { Module } from '@nestjs/common';
import { PageFiles } from './page-files.js';
import { PagesController } from './pages.controller.js';

@Module({ controllers: [PagesController], providers: [PageFiles] })
export class PagesModule {}
