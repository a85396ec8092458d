const FORM = /^multipart\/form-data;.*\bboundary=("?)([^";]+)\1/i;

export function boundaryOf(contentType: string | undefined): string | undefined {
  return FORM.exec(contentType ?? '')?.[2];
}

/** Text fields of a form. Values are kept to the byte: a parameter may begin or end with a line break. */
export function multipartFields(body: Buffer, boundary: string): Map<string, string> {
  const fields = new Map<string, string>();
  const parts = `\r\n${body.toString('utf8')}`.split(`\r\n--${boundary}`).slice(1);
  for (const part of parts) {
    const headEnd = part.indexOf('\r\n\r\n');
    const name = /\bname="([^"]*)"/.exec(part.slice(0, Math.max(headEnd, 0)))?.[1];
    if (name !== undefined) fields.set(name, part.slice(headEnd + 4));
  }
  return fields;
}
