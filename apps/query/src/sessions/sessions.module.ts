import { Module } from '@nestjs/common';
import { LoginAudit } from './login-audit.js';
import { OpenIdController } from './openid.controller.js';
import { OpenIdLogin } from './openid-login.js';
import { SessionsController } from './sessions.controller.js';

@Module({
  controllers: [SessionsController, OpenIdController],
  providers: [LoginAudit, OpenIdLogin],
})
export class SessionsModule {}
