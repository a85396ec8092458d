import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, Inject, Req } from '@nestjs/common';
import { ApiConsumes, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Caller, type Principal } from '@app/auth';
import type { IngestConfig } from '@app/config';
import { FileCreateForm, FileCreateResponse, PROJECT_ID } from '@app/contracts';
import { InvalidBodyError, Operation } from '@app/http';
import { Clock } from '../clock.js';
import { authorizedContext, requireDigest } from '../record-facts.js';
import { INGEST_CONFIG } from '../tokens.js';
import { FileStore } from './file-store.js';
import { receiveUpload, type ReceivedFile, type Upload } from './upload.js';

@ApiTags('files')
@Controller()
export class FilesController {
  constructor(
    private readonly files: FileStore,
    private readonly clock: Clock,
    @Inject(INGEST_CONFIG) private readonly config: IngestConfig,
  ) {}

  /** Older clients use the second path. */
  @Operation(['file/create', 'files/create'], {
    needs: 'write',
    summary: 'Upload a file',
    body: FileCreateForm,
    response: FileCreateResponse,
  })
  @ApiConsumes('multipart/form-data')
  async create(
    @Req() request: FastifyRequest,
    @Caller() caller: Principal,
  ): Promise<FileCreateResponse> {
    const path = join(tmpdir(), `heddle-upload-${randomUUID()}`);
    try {
      const upload = await receiveUpload(request, path, this.config.fileMaxBytes);
      return { digest: await this.storeUpload(upload, caller) };
    } finally {
      await rm(path, { force: true });
    }
  }

  private async storeUpload(upload: Upload, caller: Principal): Promise<string> {
    const { projectId, file } = checked(upload);
    const context = authorizedContext(caller, 'write', projectId, this.clock);
    requireDigest(file.digest, upload.fields['expected_digest'], 'the file');
    await this.files.store(file, context);
    return file.digest;
  }
}

function checked({ fields, file }: Upload): { projectId: string; file: ReceivedFile } {
  const projectId = fields['project_id'] ?? '';
  if (!PROJECT_ID.test(projectId)) {
    const msg = 'must have the form <entity>/<project>';
    throw new InvalidBodyError([{ loc: ['body', 'project_id'], msg, type: 'matches' }]);
  }
  if (file !== undefined) return { projectId, file };
  throw new InvalidBodyError([{ loc: ['body', 'file'], msg: 'Field required', type: 'missing' }]);
}
