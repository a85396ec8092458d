/** A browser as far as cookies and redirects go. */
class CookieJar {
  private readonly cookies = new Map<string, string>();

  async send(url: string, form?: Record<string, string>): Promise<Response> {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...this.cookies].map((pair) => pair.join('=')).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      this.cookies.set(name!, value!);
    }
    return response;
  }
}

/** Logs in at the issuer and resolves to the address to which it sends the browser back. */
export async function logInAt(authorizationUrl: string, login: string): Promise<URL> {
  const jar = new CookieJar();
  let url = authorizationUrl;
  for (let step = 0; step < 10; step++) {
    const response = await jar.send(url);
    const location = response.headers.get('location');
    if (location === null) url = await submit(jar, url, await response.text(), login);
    else url = new URL(location, url).href;
    if (new URL(url).pathname.endsWith('/callback')) return new URL(url);
  }
  throw new Error(`The issuer did not send the browser back; it ended at ${url}.`);
}

/** Fills in the form of the issuer: the login, or the consent. */
async function submit(jar: CookieJar, url: string, page: string, login: string): Promise<string> {
  const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? '';
  const response = await jar.send(url, { prompt, login, password: 'any' });
  return new URL(response.headers.get('location')!, url).href;
}
