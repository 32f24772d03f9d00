// Scripts of pipelines on one core: JSON with assignments, an access log by its pattern, and a chain of conditions.
import { compile, readJsonValue } from '../plugins/vrl/language/index.ts'

interface Script {
  readonly name: string
  /** Events a CPU second that must be reached. */
  readonly target: number
  readonly source: string
  readonly event: string
}

const request = {
  level: 'info',
  msg: 'request done',
  status: 200,
  took: 12.5,
  user: { id: 42, name: 'ada' },
  path: '/api/v1/items',
  tags: ['a', 'b']
}
const line = '203.0.113.12 - ada [03/Feb/2026:21:13:55 -0200] "GET /items/42/parts?page=2 HTTP/1.1" 201 20574'

const scripts: readonly Script[] = [
  {
    name: 'parse_json and assignments',
    target: 200_000,
    source:
      '. = parse_json!(.message)\n.level = upcase(string(.level) ?? "info")\n.service = "api"\n.ok = .status == 200\ndel(.path)\n.',
    event: JSON.stringify({ message: JSON.stringify(request) })
  },
  {
    name: 'parse_regex on an access log',
    target: 60_000,
    source: String.raw`. |= parse_regex!(.message, r'^(?P<host>\S+) (?P<ident>\S+) (?P<user>\S+) \[(?P<time>[^\]]+)\] "(?P<method>\S+) (?P<path>\S+) (?P<protocol>[^"]+)" (?P<status>\d+) (?P<size>\d+)$')
.status = to_int(.status) ?? 0
.`,
    event: JSON.stringify({ message: line })
  },
  {
    name: 'conditions with coercions',
    target: 400_000,
    source: `status = to_int(.status) ?? 0
took = to_float(.took) ?? 0.0
if status >= 500 { .class = "error" } else if status >= 400 { .class = "client" } else { .class = "ok" }
if took > 1.0 && status < 500 { .slow = true } else { .slow = false }
.status = status
.`,
    event: '{"status":"404","took":"0.53","x":"y"}'
  }
]

const rounds = 10
const perRound = 50_000

/** Prints events a CPU second of each script: the median round, the last half of them. */
export async function main(): Promise<void> {
  for (const script of scripts) {
    const rates = Array.from({ length: rounds }, () => measure(script)).slice(rounds / 2)
    const median = rates.sort((a, b) => a - b)[Math.floor(rates.length / 2)]!
    console.log(`${script.name}: ${Math.round(median / 1000)} k events/s, at least ${script.target / 1000} k wanted`)
  }
}

/** The events are made beforehand; a run may change its own. */
function measure({ source, event }: Script): number {
  const { program } = compile(source)
  const events = Array.from({ length: perRound }, () => readJsonValue(event))
  const started = process.cpuUsage().user
  for (const each of events) {
    const outcome = program!.run(each)
    if (!outcome.ok) throw new Error(outcome.message)
  }
  return (perRound * 1e6) / (process.cpuUsage().user - started)
}
