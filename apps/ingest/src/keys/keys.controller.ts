import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  actorOf,
  AccessDeniedError,
  Caller,
  covers,
  ApiKeyStore,
  requireAdmin,
  type KeyEntry,
  type Principal,
} from '@app/auth';
import {
  KeyCreateRequest,
  KeyRecord,
  KeyRevokeRequest,
  KeyRotateRequest,
  KeysListRequest,
  KeysListResponse,
  NewKeyResponse,
} from '@app/contracts';
import { Operation, ProblemError } from '@app/http';
import { AuditTrail } from '@app/queue';
import { millis, millisOf, type Millis } from '@app/wire';
import { Clock } from '../clock.js';
import { keyRecord } from './key-record.js';

/** An admin manages keys for scopes that they administer, and for no other. */
@ApiTags('admin')
@Controller('admin/keys')
export class KeysController {
  constructor(
    private readonly keys: ApiKeyStore,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  @Operation('create', {
    needs: 'admin',
    summary: 'Create an API key',
    body: KeyCreateRequest,
    response: NewKeyResponse,
  })
  async create(
    @Body() body: KeyCreateRequest,
    @Caller() caller: Principal,
  ): Promise<NewKeyResponse> {
    const { user, scope, role, name, ends_in_seconds, addresses } = body;
    requireAdmin(caller, scope);
    const endsAt = this.endOf(ends_in_seconds ?? undefined, caller);
    const from = addressesOf(addresses ?? undefined, caller);
    const { key, entry } = await this.keys.create({
      user,
      scope,
      role,
      ...(name ? { name } : {}),
      createdBy: caller.user,
      ...(endsAt !== undefined && { endsAt }),
      ...(from !== undefined && { addresses: from }),
    });
    await this.recordAudit('keys.create', entry, caller);
    return { ...keyRecord(entry), key };
  }

  @Operation('list', {
    needs: 'admin',
    isOwnScope: true,
    summary: 'List the API keys of the scope that the caller administers',
    body: KeysListRequest,
    response: KeysListResponse,
  })
  async list(
    @Body() { include_ended }: KeysListRequest,
    @Caller() caller: Principal,
  ): Promise<KeysListResponse> {
    requireAdmin(caller, caller.scope);
    const now = this.inSeconds(0);
    const listed = (await this.keys.list()).filter(
      ({ scope, endsAt = Infinity }) =>
        covers(caller.scope, scope) && (include_ended || endsAt > now),
    );
    return { keys: listed.map(keyRecord) };
  }

  @Operation('revoke', {
    needs: 'admin',
    isOwnScope: true,
    summary: 'Revoke an API key; all processes refuse it within seconds',
    body: KeyRevokeRequest,
    response: KeyRecord,
  })
  async revoke(@Body() { id }: KeyRevokeRequest, @Caller() caller: Principal): Promise<KeyRecord> {
    await this.requireAdministered(id, caller);
    const entry = found(id, await this.keys.end(id, this.inSeconds(0)));
    await this.recordAudit('keys.revoke', entry, caller);
    return keyRecord(entry);
  }

  @Operation('rotate', {
    needs: 'admin',
    isOwnScope: true,
    summary: 'Replace an API key by a new one with the same grant',
    body: KeyRotateRequest,
    response: NewKeyResponse,
  })
  async rotate(
    @Body() { id, grace_seconds }: KeyRotateRequest,
    @Caller() caller: Principal,
  ): Promise<NewKeyResponse> {
    const old = await this.requireAdministered(id, caller);
    addressesOf(old.addresses ?? [], caller);
    const oldEndsAt = this.inSeconds(grace_seconds ?? 0);
    const rotated = await this.keys.rotate(id, caller.user, oldEndsAt, { notAfter: caller.endsAt });
    if (rotated === undefined) {
      throw new ProblemError('invalid_request', `The API key ${id} has ended; create a new one.`);
    }
    const { key, entry } = rotated;
    await this.recordAudit('keys.rotate', entry, caller, { replaces: id });
    return { ...keyRecord(entry), key };
  }

  /** Throws key_not_found for a key outside of the caller's scope, as for an unknown one. */
  private async requireAdministered(id: string, caller: Principal): Promise<KeyEntry> {
    requireAdmin(caller, caller.scope);
    const entry = await this.keys.find(id);
    return found(id, entry && covers(caller.scope, entry.scope) ? entry : undefined);
  }

  private recordAudit(
    action: string,
    entry: KeyEntry,
    caller: Principal,
    more = {},
  ): Promise<void> {
    const { id, user, role, scope } = entry;
    const detail = { id, user, role, ...more };
    return this.audit.record({ ...actorOf(caller), action, projectId: scope, detail });
  }

  /** No key creates one that outlives it. Without a requested end the new key ends with its creator's. */
  private endOf(seconds: number | undefined, { endsAt }: Principal): Millis | undefined {
    if (seconds === undefined) return endsAt;
    const requested = this.inSeconds(seconds);
    if (endsAt !== undefined && requested > endsAt) {
      throw new AccessDeniedError(
        'forbidden',
        'A key cannot create one that ends later than it does; request an earlier end, or use a key without an end.',
      );
    }
    return requested;
  }

  private inSeconds(seconds: number): Millis {
    return millis(millisOf(this.clock.now()) + seconds * 1000);
  }
}

/** A key that is accepted from some addresses only creates and rotates keys for the same addresses only. */
function addressesOf(
  requested: readonly string[] | undefined,
  { addresses }: Principal,
): readonly string[] | undefined {
  if (addresses === undefined || requested === undefined) return requested ?? addresses;
  if (String([...requested].sort()) === String([...addresses].sort())) return addresses;
  throw new AccessDeniedError(
    'forbidden',
    'This API key is accepted from some addresses only; it cannot create or rotate a key for others.',
  );
}

function found<T>(id: string, one: T | undefined): T {
  if (one === undefined) throw new ProblemError('key_not_found', `There is no API key ${id}.`);
  return one;
}
