// SPDX-License-Identifier: Apache-2.0
/**
 * Names of the IANA Service Name and Transport Protocol Port Number Registry (RFC 6335), lower case: those that Debian's
 * netbase ships, and further ones in common use. The registry holds thousands more; a name that is missing here costs its
 * user a warning, nothing else. Compared without regard to case (RFC 6335, section 5.1).
 */
const NAMES = `
acr-nema afpovertcp afs3-bos afs3-callback afs3-fileserver afs3-kaserver afs3-prserver afs3-rmtsys afs3-update
afs3-vlserver afs3-volser amanda amandaidx amidxtape amqp amqps asf-rmcp asp auth babel bacula-dir bacula-fd bacula-sd
bbs bgp bgpd biff binkp bootpc bootps canna cfengine chargen cisco-sccp clc-build-daemon clearcase cmip-agent cmip-man
coap coaps codaauth2 codasrv codasrv-se csync2 cvspserver daap datametrics daytime db-lsp dcap dhcpv6-client
dhcpv6-server diameter diameters dicom dict dircproxy discard distcc dns docker docker-s domain domain-s echo epmap
epmd etcd-client etcd-server exec f5-globalsite f5-iquery fax fido finger font-service freeciv fsp ftp ftp-data ftps
ftps-data gdomap gds-db geneve git gnunet gnutella-rtr gnutella-svc gopher gpsd gris groupwise gsidcap gsiftp
gsigatekeeper hkp http http-alt https hylafax iax icpv2 imap imap2 imaps ingreslock ipp ipps iprop ipsec-nat-t ipx irc
ircd ircs ircs-u isakmp iscsi-target isisd isns iso-tsap jetdirect kamanda kerberos kerberos-adm kerberos-master
kerberos4 kermit klogin kpasswd krb-prop kshell l2f l2tp ldap ldaps ldp llmnr login lotusnote mailq mdns memcache
microsoft-ds moira-db moira-update moira-ureg mon mongodb mqtt ms-sql-m ms-sql-s ms-wbt-server mtn munin mysql mysql-
proxy mysqlx nbd nbp netbios-dgm netbios-ns netbios-ssn netconf-ssh netconf-tls netstat nfs nntp nntps nqs nrpe nsca
ntalk ntp ntske nut omniorb opentelemetry openvpn ospf-lite ospf6d ospfapi ospfd passwd-server pawserv pop3 pop3s
poppassd postgresql pptp predict presence printer proofd ptp-event ptp-general puppet qmqp qmtp qotd radius radius-
acct radmin-port radsec redis remctl restconf-ch-tls rfb ripd ripngd rmiregistry rmtcfg rootd route rpc2portmap rpki-
rtr rpki-rtr-tls rplay rsync rtcm-sc104 rtmp rtsp rtsps sa-msg-port saft salt-master sane-port secure-mqtt sftp sge-
execd sge-qmaster sgi-cad sgi-cmsd sgi-crsd sgi-gcd shell sieve silc sip sip-tls sips skkserv smtp smtps smux snmp
snmp-trap snmptrap snpp socks spamd ssdp ssh stun stuns submission submissions sunrpc supfiledbg supfilesrv suucp svn
svrloc syslog syslog-conn syslog-tls sysrqd systat tacacs talk tcpmux telnet telnets tfido tftp time tinc tproxy turn
turns uucp venus venus-se vxlan webmin who whois wnn6 x11 x11-1 x11-2 x11-3 x11-4 x11-5 x11-6 x11-7 xdmcp xinetd xmms2
xmpp-bosh xmpp-client xmpp-server xtel xtelw z3950 zabbix-agent zabbix-trapper zebra zebrasrv zephyr-clt zephyr-hm
zephyr-srv zip zope zope-ftp zserv
`;

const KNOWN: ReadonlySet<string> = new Set(NAMES.trim().split(/\s+/));

export const isIanaServiceName = (name: string): boolean => KNOWN.has(name.toLowerCase());
