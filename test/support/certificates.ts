import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** A certificate authority of a test, in a directory of its own. */
export class TestAuthority {
  private readonly directory = mkdtempSync(join(tmpdir(), 'heddle-ca-'));
  readonly caFile = this.file('ca.pem');

  constructor() {
    const out = ['-keyout', this.file('ca.key'), '-out', this.caFile];
    openssl(['req', '-x509', ...NEW_KEY, ...out, '-days', '1', '-subj', '/CN=test authority']);
  }

  /** A certificate for 127.0.0.1, of a server or of a client. */
  issue(name: string): { readonly certFile: string; readonly keyFile: string } {
    const [request, certFile, keyFile] = ['csr', 'pem', 'key'].map((end) =>
      this.file(`${name}.${end}`),
    ) as [string, string, string];
    const extensions = this.file('extensions');
    writeFileSync(extensions, 'subjectAltName=IP:127.0.0.1\n');
    openssl(['req', ...NEW_KEY, '-keyout', keyFile, '-out', request, '-subj', `/CN=${name}`]);
    const authority = ['-CA', this.caFile, '-CAkey', this.file('ca.key'), '-CAcreateserial'];
    const out = ['-in', request, '-out', certFile, '-days', '1', '-extfile', extensions];
    openssl(['x509', '-req', ...authority, ...out]);
    return { certFile, keyFile };
  }

  remove(): void {
    rmSync(this.directory, { recursive: true });
  }

  private file(name: string): string {
    return join(this.directory, name);
  }
}

function openssl(args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: 'ignore' });
}
