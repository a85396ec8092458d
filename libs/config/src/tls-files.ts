import { readFileSync } from 'node:fs';
import { StartupError } from './startup-error.js';

/** Paths of PEM files; empty when not set. A certificate and its key are set together. */
export interface TlsConfig {
  /** The certificate authority of the server; empty to trust the public ones. */
  readonly caFile: string;
  /** Our own certificate, for a server that requires one (mutual TLS). */
  readonly certFile: string;
  readonly keyFile: string;
}

/** The contents of the files that are set. */
export interface TlsFiles {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** Throws a StartupError that names the setting, such as `REDIS_CA_FILE`, of a file that cannot be read. */
export function readTlsFiles(
  service: 'REDIS' | 'CLICKHOUSE',
  config: Partial<TlsConfig>,
): TlsFiles {
  const { caFile = '', certFile = '', keyFile = '' } = config;
  return {
    ...(caFile !== '' && { ca: read(caFile, `${service}_CA_FILE`) }),
    ...(certFile !== '' && { cert: read(certFile, `${service}_CERT_FILE`) }),
    ...(keyFile !== '' && { key: read(keyFile, `${service}_KEY_FILE`) }),
  };
}

function read(file: string, setting: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { message } = error as Error;
    throw new StartupError(`${setting} cannot be read (${message}); correct its path.`);
  }
}
