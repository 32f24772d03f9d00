// Parses URLs and query strings.
import { type FunctionSpec, fail } from '../../function.ts'
import { arrayOf, kinds, objectOf, union } from '../../kind.ts'
import { lossy, type Text, type Value } from '../../value.ts'

const nullable = union(kinds.string, kinds.null)

const urlKind = objectOf({
  scheme: kinds.string,
  username: kinds.string,
  password: kinds.string,
  host: nullable,
  port: union(kinds.integer, kinds.null),
  path: kinds.string,
  query: objectOf({}, kinds.string),
  fragment: nullable
})

const knownPorts: Readonly<Record<string, bigint>> = { http: 80n, https: 443n, ws: 80n, wss: 443n, ftp: 21n }

export const urlParsers: readonly FunctionSpec[] = [
  {
    name: 'parse_url',
    summary: 'The parts of a URL.',
    params: [
      { name: 'value', kind: kinds.string },
      { name: 'default_known_ports', kind: kinds.boolean, default: false }
    ],
    returns: urlKind,
    fallible: true,
    run: (value: Text, withPort: boolean) => readUrl(lossy(value), withPort),
    examples: [
      {
        title: 'All parts',
        source: 'parse_url!("ftp://foo:bar@example.com:4343/a?b=1#c")',
        result:
          '{"fragment":"c","host":"example.com","password":"bar","path":"/a","port":4343,"query":{"b":"1"},"scheme":"ftp","username":"foo"}'
      },
      { title: 'The port of the scheme', source: 'parse_url!("https://example.com", true).port', result: '443' },
      { title: 'Relative', source: 'parse_url!("/a")', raises: 'unable to parse url' }
    ]
  },
  {
    name: 'parse_query_string',
    summary: 'The parameters of a query string; those that come again make an array.',
    params: [{ name: 'value', kind: kinds.string }],
    returns: objectOf({}, union(kinds.string, arrayOf(kinds.string))),
    run: (value: Text) => readQuery(lossy(value)),
    examples: [
      {
        title: 'Repeated',
        source: 'parse_query_string("?a=1&b=x+y&b=%7A&c")',
        result: '{"a":"1","b":["x y","z"],"c":""}'
      }
    ]
  }
]

function readUrl(text: string, withPort: boolean): ReadonlyMap<string, Value> {
  const url = URL.parse(text)
  if (url === null) throw fail(`unable to parse url: "${text.slice(0, 200)}" is not an absolute URL`)
  const scheme = url.protocol.slice(0, -1)
  const known = withPort ? (knownPorts[scheme] ?? null) : null
  return new Map<string, Value>([
    ['scheme', scheme],
    ['username', url.username],
    ['password', url.password],
    ['host', url.hostname === '' ? null : url.hostname],
    ['port', url.port === '' ? known : BigInt(url.port)],
    ['path', url.pathname],
    ['query', new Map(url.searchParams)],
    ['fragment', url.href.includes('#') ? url.hash.slice(1) : null]
  ])
}

export function readQuery(text: string): ReadonlyMap<string, Value> {
  const found = new Map<string, Value>()
  const lists = new Map<string, Value[]>()
  // URLSearchParams drops a leading question mark; the ampersand before it keeps one that belongs to the query.
  for (const [key, value] of new URLSearchParams(`&${text.startsWith('?') ? text.slice(1) : text}`)) {
    const before = found.get(key)
    const list = lists.get(key)
    if (list !== undefined) list.push(value)
    else if (before === undefined) found.set(key, value)
    else {
      const both = [before, value]
      lists.set(key, both)
      found.set(key, both)
    }
  }
  return found
}
