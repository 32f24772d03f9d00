// The patterns that grok expressions name. They use no look-around and no backreferences, so that they run in linear time.

const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
/** Matches more digits and groups than an address can have, because counted repetition would be many times slower. */
const group = '[0-9A-Fa-f]+'
const ipv4 = `${byte}(?:\\.${byte}){3}`

/** Full and shortened forms, optionally ending in an IPv4 address, optionally with a zone. Kept short because many patterns include it. */
const dotted = '\\d+(?:\\.\\d+){3}'
const ipv6 = `(?:${[
  `${group}(?::${group}){7}`,
  `${group}(?::${group}){5}:${dotted}`,
  `(?:${group}(?::${group})*)?::(?:(?:${group}:)*(?:${dotted}|${group}))?`
].join('|')})(?:%[0-9A-Za-z._-]+)?`

const numbers = {
  INT: '[+-]?\\d+',
  BASE10NUM: '[+-]?(?:\\d+(?:\\.\\d+)?|\\.\\d+)',
  NUMBER: '%{BASE10NUM}',
  BASE16NUM: '[+-]?(?:0x)?[0-9A-Fa-f]+',
  BASE16FLOAT: '\\b[+-]?(?:0x)?(?:[0-9A-Fa-f]+(?:\\.[0-9A-Fa-f]*)?|\\.[0-9A-Fa-f]+)\\b',
  POSINT: '\\b[1-9]\\d*\\b',
  NONNEGINT: '\\b\\d+\\b'
}

const texts = {
  WORD: '\\b\\w+\\b',
  NOTSPACE: '\\S+',
  SPACE: '\\s*',
  DATA: '.*?',
  GREEDYDATA: '.*',
  QUOTEDSTRING: '"(?:\\\\.|[^\\\\"])*"|\'(?:\\\\.|[^\\\\\'])*\'|`(?:\\\\.|[^\\\\`])*`',
  QS: '%{QUOTEDSTRING}',
  UUID: '[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}',
  URN: "urn:[0-9A-Za-z][0-9A-Za-z-]{0,31}:(?:%[0-9A-Fa-f]{2}|[0-9A-Za-z()+,.:=@;$_!*'/?#-])+"
}

const users = {
  USERNAME: '[a-zA-Z0-9._-]+',
  USER: '%{USERNAME}',
  EMAILLOCALPART: '[a-zA-Z][a-zA-Z0-9_.+=:-]*',
  EMAILADDRESS: '%{EMAILLOCALPART}@%{HOSTNAME}',
  HTTPDUSER: '%{EMAILADDRESS}|%{USER}'
}

const network = {
  CISCOMAC: '(?:[0-9A-Fa-f]{4}\\.){2}[0-9A-Fa-f]{4}',
  WINDOWSMAC: '(?:[0-9A-Fa-f]{2}-){5}[0-9A-Fa-f]{2}',
  COMMONMAC: '(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}',
  MAC: '%{CISCOMAC}|%{WINDOWSMAC}|%{COMMONMAC}',
  IPV6: ipv6,
  IPV4: ipv4,
  IP: '%{IPV6}|%{IPV4}',
  HOSTNAME: '\\b[0-9A-Za-z_][0-9A-Za-z_-]*(?:\\.[0-9A-Za-z_][0-9A-Za-z_-]*)*\\.?',
  HOST: '%{HOSTNAME}',
  IPORHOST: '%{IP}|%{HOSTNAME}',
  /** Equals IPORHOST where a blank follows, but matches much faster. */
  ADDRESS: '[0-9A-Za-z_:.%-]+',
  HOSTPORT: '%{IPORHOST}:%{POSINT}'
}

const paths = {
  UNIXPATH: '(?:/[^\\s?*/]*)+',
  WINPATH: '(?:[A-Za-z]+:|\\\\)(?:\\\\[^\\\\?*]*)+',
  PATH: '%{UNIXPATH}|%{WINPATH}',
  TTY: '/dev/(?:pts|tty(?:[pq])?)(?:\\w+)?/?(?:\\d+)?',
  URIPROTO: '[A-Za-z][A-Za-z0-9+.-]*',
  URIHOST: '%{IPORHOST}(?::%{POSINT})?',
  URIPATH: "(?:/[A-Za-z0-9$.+!*'(){},~:;=@#%&_-]*)+",
  URIQUERY: "[A-Za-z0-9$.+!*'|(){},~@#%&/=:;_?\\[\\]<>-]*",
  URIPARAM: '\\?%{URIQUERY}',
  URIPATHPARAM: '%{URIPATH}(?:%{URIPARAM})?',
  URI: '%{URIPROTO}://(?:%{USER}(?::[^@]*)?@)?(?:%{URIHOST})?(?:%{URIPATHPARAM})?'
}

const dates = {
  MONTH:
    '\\b(?:[Jj]an(?:uary|uar)?|[Ff]eb(?:ruary|ruar)?|[Mm](?:a|ä)?r(?:ch|z)?|[Aa]pr(?:il)?|[Mm]a(?:y|i)|[Jj]une?|[Jj]uly?|[Aa]ug(?:ust)?|[Ss]ep(?:tember)?|[Oo](?:c|k)t(?:ober)?|[Nn]ov(?:ember)?|[Dd]e(?:c|z)(?:ember)?)\\b',
  MONTHNUM: '0?[1-9]|1[0-2]',
  MONTHNUM2: '0[1-9]|1[0-2]',
  MONTHDAY: '0[1-9]|[12]\\d|3[01]|[1-9]',
  DAY: 'Mon(?:day)?|Tue(?:sday)?|Wed(?:nesday)?|Thu(?:rsday)?|Fri(?:day)?|Sat(?:urday)?|Sun(?:day)?',
  YEAR: '(?:\\d\\d){1,2}',
  HOUR: '2[0123]|[01]?\\d',
  MINUTE: '[0-5]\\d',
  SECOND: '(?:[0-5]?\\d|60)(?:[:.,]\\d+)?',
  TIME: '%{HOUR}:%{MINUTE}(?::%{SECOND})',
  DATE_US: '%{MONTHNUM}[/-]%{MONTHDAY}[/-]%{YEAR}',
  DATE_EU: '%{MONTHDAY}[./-]%{MONTHNUM}[./-]%{YEAR}',
  DATE: '%{DATE_US}|%{DATE_EU}',
  DATESTAMP: '%{DATE}[- ]%{TIME}',
  ISO8601_TIMEZONE: 'Z|[+-]%{HOUR}(?::?%{MINUTE})',
  ISO8601_SECOND: '%{SECOND}|60',
  ISO8601_HOUR: '2[0123]|[01]\\d',
  TIMESTAMP_ISO8601: '%{YEAR}-%{MONTHNUM}-%{MONTHDAY}[T ]%{HOUR}:?%{MINUTE}(?::?%{SECOND})?(?:%{ISO8601_TIMEZONE})?',
  TZ: '[A-Z]{3}',
  NUMTZ: '[+-]\\d{4}',
  DATESTAMP_RFC822: '%{DAY} %{MONTH} %{MONTHDAY} %{YEAR} %{TIME} %{TZ}',
  DATESTAMP_RFC2822: '%{DAY}, %{MONTHDAY} %{MONTH} %{YEAR} %{TIME} %{ISO8601_TIMEZONE}',
  DATESTAMP_OTHER: '%{DAY} %{MONTH} %{MONTHDAY} %{TIME} %{TZ} %{YEAR}',
  DATESTAMP_EVENTLOG: '%{YEAR}%{MONTHNUM2}%{MONTHDAY}%{HOUR}%{MINUTE}%{SECOND}',
  HTTPDATE: '%{MONTHDAY}/%{MONTH}/%{YEAR}:%{TIME} %{INT}',
  HTTPDERROR_DATE: '%{DAY} %{MONTH} %{MONTHDAY} %{TIME} %{YEAR}',
  SYSLOGTIMESTAMP: '%{MONTH} +%{MONTHDAY} %{TIME}'
}

const logs = {
  PROG: '[!-Z\\\\^-~]+',
  SYSLOGPROG: '%{PROG:program}(?:\\[%{POSINT:pid}\\])?',
  SYSLOGHOST: '%{IPORHOST}',
  SYSLOGFACILITY: '<%{NONNEGINT:facility}.%{NONNEGINT:priority}>',
  SYSLOGBASE: '%{SYSLOGTIMESTAMP:timestamp} (?:%{SYSLOGFACILITY} )?%{SYSLOGHOST:logsource} %{SYSLOGPROG}:',
  SYSLOGLINE: '%{SYSLOGBASE} %{GREEDYDATA:message}',
  LOGLEVEL:
    '[Aa]lert|ALERT|[Tt]race|TRACE|[Dd]ebug|DEBUG|[Nn]otice|NOTICE|[Ii]nfo(?:rmation)?|INFO(?:RMATION)?|[Ww]arn(?:ing)?|WARN(?:ING)?|[Ee]rr(?:or)?|ERR(?:OR)?|[Cc]rit(?:ical)?|CRIT(?:ICAL)?|[Ff]atal|FATAL|[Ss]evere|SEVERE|[Ee]merg(?:ency)?|EMERG(?:ENCY)?',
  COMMONAPACHELOG:
    '%{ADDRESS:clientip} %{HTTPDUSER:ident} %{USER:auth} \\[%{HTTPDATE:timestamp}\\] "(?:%{WORD:verb} %{NOTSPACE:request}(?: HTTP/%{NUMBER:httpversion})?|%{DATA:rawrequest})" %{NUMBER:response} (?:%{NUMBER:bytes}|-)',
  COMBINEDAPACHELOG: '%{COMMONAPACHELOG} %{QS:referrer} %{QS:agent}',
  HTTPD_COMMONLOG: '%{COMMONAPACHELOG}',
  HTTPD_COMBINEDLOG: '%{COMBINEDAPACHELOG}',
  HTTPD20_ERRORLOG:
    '\\[%{HTTPDERROR_DATE:timestamp}\\] \\[%{LOGLEVEL:loglevel}\\] (?:\\[client %{IPORHOST:clientip}\\] )?%{GREEDYDATA:errormsg}',
  HTTPD24_ERRORLOG:
    '\\[%{HTTPDERROR_DATE:timestamp}\\] \\[%{WORD:module}:%{LOGLEVEL:loglevel}\\] \\[pid %{POSINT:pid}(?::tid %{NUMBER:tid})?\\](?: \\(%{POSINT:proxy_errorcode}\\)%{DATA:proxy_message}:)?(?: \\[client %{IPORHOST:clientip}:%{POSINT:clientport}\\])?(?: %{DATA:errorcode}:)? %{GREEDYDATA:message}',
  HTTPD_ERRORLOG: '%{HTTPD20_ERRORLOG}|%{HTTPD24_ERRORLOG}'
}

const languages = {
  JAVACLASS: '(?:[a-zA-Z$_][a-zA-Z$_0-9]*\\.)*[a-zA-Z$_][a-zA-Z$_0-9]*',
  JAVAFILE: '[A-Za-z0-9_. -]+',
  JAVAMETHOD: '<init>|<clinit>|[a-zA-Z$_][a-zA-Z$_0-9]*',
  JAVATHREAD: '[A-Z]{2}-Processor\\d+',
  JAVASTACKTRACEPART: '%{SPACE}at %{JAVACLASS:class}\\.%{JAVAMETHOD:method}\\(%{JAVAFILE:file}(?::%{NUMBER:line})?\\)',
  JAVALOGMESSAGE: '.*',
  RUBY_LOGLEVEL: 'DEBUG|FATAL|ERROR|WARN|INFO',
  RUBY_LOGGER:
    '[DFEWI], \\[%{TIMESTAMP_ISO8601:timestamp} #%{POSINT:pid}\\] *%{RUBY_LOGLEVEL:loglevel} -- +%{DATA:progname}: %{GREEDYDATA:message}'
}

const services = {
  REDISTIMESTAMP: '%{MONTHDAY} %{MONTH} %{TIME}',
  REDISLOG: '\\[%{POSINT:pid}\\] %{REDISTIMESTAMP:timestamp} \\* ',
  MONGO_LOG: '%{SYSLOGTIMESTAMP:timestamp} \\[%{WORD:component}\\] %{GREEDYDATA:message}',
  POSTGRESQL: '%{DATESTAMP:timestamp} %{TZ} %{DATA:user_id} %{GREEDYDATA:connection_id} %{POSINT:pid}',
  HAPROXYTIME: '%{HOUR}:%{MINUTE}(?::%{SECOND})',
  HAPROXYDATE: '%{MONTHDAY}/%{MONTH}/%{YEAR}:%{HAPROXYTIME}\\.%{INT}',
  NAGIOSTIME: '\\[%{NUMBER:nagios_epoch}\\]',
  CRON_ACTION: '[A-Z ]+',
  CRONLOG: '%{SYSLOGBASE} \\(%{USER:user}\\) %{CRON_ACTION:action} \\(%{DATA:message}\\)'
}

/** Patterns by name. They can refer to each other, as `%{NAME}`. */
export const grokPatterns: Readonly<Record<string, string>> = {
  ...numbers,
  ...texts,
  ...users,
  ...network,
  ...paths,
  ...dates,
  ...logs,
  ...languages,
  ...services
}

/** Escapes a text, so that it is matched literally, also in a character class. */
export function literalPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|-]/g, '\\$&')
}
