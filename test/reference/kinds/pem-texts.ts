// SPDX-License-Identifier: Apache-2.0
/** Certificates and keys made for these tests alone, whole and corrupted, for Secrets of TLS. */
import fc from 'fast-check';

const DER = {
  ecCertificate: [
    'CERTIFICATE',
    'MIIBlTCCATygAwIBAgIUF4Mr4wt/lJE7cfX0D1gcefgkZakwCgYIKoZIzj0EAwIwFTETMBEGA1UEAwwKZWMuZXhhbXBsZTAeFw0y' +
      'NjExMjgwMzEyMjZaFw0zNjExMjUwMzEyMjZaMBUxEzARBgNVBAMMCmVjLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC' +
      'AAQdypI9oGqUZV52tWJbD42QdGirz61ka+WwO0e/PxgeyeOlzbol3Jewa8PTC0h1GGYfBs1lkruyB/wxXXT6LWU0o2owaDAdBgNV' +
      'HQ4EFgQUTYkwDlxyDpN47FxvTJhgHuzXX04wHwYDVR0jBBgwFoAUTYkwDlxyDpN47FxvTJhgHuzXX04wDwYDVR0TAQH/BAUwAwEB' +
      '/zAVBgNVHREEDjAMggplYy5leGFtcGxlMAoGCCqGSM49BAMCA0cAMEQCIHHdGWKZx02r7b6Jm1qLKFOCSQRk7+DFogRbOzKIrdFO' +
      'AiBDX4RKIaai5MXP1ssNuMpUiNf1LXichLY3wwcMsKQjmg==',
  ],
  edCertificate: [
    'CERTIFICATE',
    'MIIBVjCCAQigAwIBAgIUdVSfzEt9OndHuOujfLqDSuD7m1MwBQYDK2VwMBUxEzARBgNVBAMMCmVkLmV4YW1wbGUwHhcNMjYxMTI4' +
      'MDMxMjI2WhcNMzYxMTI1MDMxMjI2WjAVMRMwEQYDVQQDDAplZC5leGFtcGxlMCowBQYDK2VwAyEAtRtHj+MtVr6u0dz62BKc/QEZ' +
      '89MQWa/nmgsshkOcBOGjajBoMB0GA1UdDgQWBBQmmVn3mO0qvzWWTL7z5DtosqWNpjAfBgNVHSMEGDAWgBQmmVn3mO0qvzWWTL7z' +
      '5DtosqWNpjAPBgNVHRMBAf8EBTADAQH/MBUGA1UdEQQOMAyCCmVkLmV4YW1wbGUwBQYDK2VwA0EAmXVTNT3LgOC3ewMAYLz32Ysm' +
      '3tT3rWLS+6uZdBSrtqT+t3fKv7V9MxNLKJxG15ofAHrzFuBf+HMvlsrvzfgUAw==',
  ],
  rsaCertificate: [
    'CERTIFICATE',
    'MIICIDCCAYmgAwIBAgIUf4fsCkZCd83HGpiVWani4cAbiuYwDQYJKoZIhvcNAQELBQAwFjEUMBIGA1UEAwwLcnNhLmV4YW1wbGUw' +
      'HhcNMjYxMTI4MDMxMjI2WhcNMzYxMTI1MDMxMjI2WjAWMRQwEgYDVQQDDAtyc2EuZXhhbXBsZTCBnzANBgkqhkiG9w0BAQEFAAOB' +
      'jQAwgYkCgYEA4Lcha6ZOPwf0Bi+xT38zp4GrMEIp2u3guraiQkMQ9TQTXheT7y8+xw+rYVRbE05ictMpL+yn1N4GjDcCe2t3sCJJ' +
      'pxY5fXLG7DiEJwqeb/qBqUGKWO9iF3O/Eo7LGg9afm/5ECGPM2QbpJlOSupkkjjGbRaEkEaoRaJVxYxjrL0CAwEAAaNrMGkwHQYD' +
      'VR0OBBYEFL24D1IhAVCOLC+fx+NHc2z+aUloMB8GA1UdIwQYMBaAFL24D1IhAVCOLC+fx+NHc2z+aUloMA8GA1UdEwEB/wQFMAMB' +
      'Af8wFgYDVR0RBA8wDYILcnNhLmV4YW1wbGUwDQYJKoZIhvcNAQELBQADgYEAhti7qyMP7RcuNmeTfHGlkdZIG6lCirtgp1nwOp23' +
      'raDFLPEbWTaIlQVDXPtd9ZpwJhd3WQKJ5eOdOyeteS3ndgfBEjGm6qCAH2YXPPiTyNzIwd4K8vviEEbpW+jdgm26KeAJYTV75YQs' +
      '8Cwc0CXP3cgydIv22fQJ+MIiDkPthUM=',
  ],
  ecKey: [
    'PRIVATE KEY',
    'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgGHaacj1y40ruhMYn/DmJoTTJx8PXTwnCbYj4S1wH+ZWhRANCAAQd' +
      'ypI9oGqUZV52tWJbD42QdGirz61ka+WwO0e/PxgeyeOlzbol3Jewa8PTC0h1GGYfBs1lkruyB/wxXXT6LWU0',
  ],
  sec1Key: [
    'EC PRIVATE KEY',
    'MHcCAQEEIBh2mnI9cuNK7oTGJ/w5iaE0ycfD108Jwm2I+EtcB/mVoAoGCCqGSM49AwEHoUQDQgAEHcqSPaBqlGVedrViWw+NkHRo' +
      'q8+tZGvlsDtHvz8YHsnjpc26JdyXsGvD0wtIdRhmHwbNZZK7sgf8MV10+i1lNA==',
  ],
  edKey: ['PRIVATE KEY', 'MC4CAQAwBQYDK2VwBCIEIE+sJTcFZaTKBx2g9+Jt1X08+ZcfmhCv7gZN1WBUnre3'],
  pkcs1Key: [
    'RSA PRIVATE KEY',
    'MIICXgIBAAKBgQDgtyFrpk4/B/QGL7FPfzOngaswQina7eC6tqJCQxD1NBNeF5PvLz7HD6thVFsTTmJy0ykv7KfU3gaMNwJ7a3ew' +
      'IkmnFjl9csbsOIQnCp5v+oGpQYpY72IXc78SjssaD1p+b/kQIY8zZBukmU5K6mSSOMZtFoSQRqhFolXFjGOsvQIDAQABAoGBALpr' +
      'Me58KK1hi68WIaIxhEiR6dI/ETnt3WEH4dPWj1rbuLV2GeNy7kF1XleAA44gmMtpIeIAEbsl9YicmhKJNN/7k5qLgvl4ANzBYK6f' +
      '34GGTo9GnJmltm+wR4w1z/8c79/17UYGj9pPBOR7YpsWxqsAaynPp0XVXV4GsK9bmuaBAkEA81xZf71WPBHqxyyd7/+eNbZ+mz4F' +
      'CrSH6I9o70NVZSyhSpaM/4wxFZRIt8rOkB83ARcCh0kPHZGcJqhAciYrzwJBAOxi4KcSNDIQEUDWB15bwvma/8H3ftNGPwz10bc0' +
      'WGr5l/VBrwl/w+6NJLtb5xAhL3zkaAW8FNb0XfmTDDOoBbMCQHBo9+5JRsv4eroFoe555FprMZAD1dBcE2sY0x+xuoBBXT9Wy0o/' +
      'N20AUZaT11Y7FO0r878JwDGoULiKfzo654ECQQDEph0t3778RtGTlnnazYuOCpvpyPMA39dj+LvWJP3JQIphxZrP1DIzKcf89Z9r' +
      'k6/lvj2rR6Qujmv/S41DC+xxAkEAvRG3Ox5TgNyVGnA4fTVxLsYQ1yU4+5z43sda86UAi3d3q8vhyf9RhmftEK3iH3oFIK+1H2X6' +
      'L3ByOoAR34gU9w==',
  ],
} as const;

const pem = (type: string, der: Buffer): string =>
  `-----BEGIN ${type}-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${type}-----\n`;
const bytesOf = (base64: string): Buffer => Buffer.from(base64, 'base64');

const text = fc.constantFrom(...Object.values(DER));
/** Any byte changed, cut off anywhere, or more behind it. */
const damaged = fc
  .tuple(text, fc.nat(), fc.integer({min: 1, max: 255}), fc.constantFrom('change', 'cut', 'add'))
  .map(([[type, base64], position, change, how]) => {
    const der = bytesOf(base64);
    const at = position % der.length;
    if (how === 'cut') return pem(type, der.subarray(0, at));
    if (how === 'add') return pem(type, Buffer.concat([der, Buffer.of(change)]));
    return pem(type, Buffer.from(der.map((byte, i) => (i === at ? byte ^ change : byte))));
  });
const whole = text.map(([type, base64]) => pem(type, bytesOf(base64)));
/** Texts that are no block, a block of another type, several blocks. */
const odd = whole.chain(made =>
  fc.constantFrom(
    'no block',
    made.replaceAll('-----\n', '----\n'),
    made.replace('\n-----END', ''),
    `x\n${made}${made}`,
    made.replaceAll(/[A-Z ]*PRIVATE KEY|CERTIFICATE/g, 'OTHER'),
  ),
);

export const pemText: fc.Arbitrary<string> = fc.oneof(
  {weight: 4, arbitrary: whole},
  {weight: 3, arbitrary: damaged},
  odd,
);
export const certificatePem: fc.Arbitrary<string> = fc
  .constantFrom(DER.ecCertificate, DER.edCertificate, DER.rsaCertificate)
  .map(([type, base64]) => pem(type, bytesOf(base64)));
