import { isPublicAddress, WebhookAddresses, WebhookRefusedError } from './webhook-address.js';

const none = new WebhookAddresses([]);

describe('the addresses of webhooks', () => {
  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:8.8.8.8',
    '::ffff:a00:1',
    '64:ff9b::a00:1',
    'fe80::1',
    'fc00::1',
    'fd12::1',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
    '2002:a00:1::1',
  ])('do not include %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['8.8.8.8', '172.32.0.1', '192.0.3.1', '2606:4700::1111'])('include %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ['https://127.0.0.1/', 'private'],
    ['https://2130706433/', 'private'],
    ['https://0x7f.1/', 'private'],
    ['https://0177.0.0.1/', 'private'],
    ['https://[::ffff:10.0.0.1]/', 'private'],
    ['https://[::1]/', 'private'],
    ['http://8.8.8.8/', 'https'],
    ['https://user:word@8.8.8.8/', 'password'],
    ['ftp://8.8.8.8/', 'https'],
    ['file:///etc/passwd', 'https'],
    ['not a url', 'URL'],
  ])('refuse %s', (url, reason) => {
    expect(() => none.checkUrl(url)).toThrow(WebhookRefusedError);
    expect(() => none.checkUrl(url)).toThrow(reason);
  });

  it('refuse a host name whose address is private', async () => {
    await expect(none.resolve('https://localhost/')).rejects.toThrow(WebhookRefusedError);
  });

  it('include the private networks that an operator allows, with http', async () => {
    const allowing = new WebhookAddresses(['10.0.0.0/8', '127.0.0.1', '::1']);

    expect(await allowing.resolve('http://10.0.0.1/x')).toMatchObject({ address: '10.0.0.1' });
    expect(() => allowing.checkUrl('http://[::ffff:10.0.0.1]/')).not.toThrow();
    expect(() => allowing.checkUrl('http://127.0.0.2/')).toThrow('private');
  });
});
