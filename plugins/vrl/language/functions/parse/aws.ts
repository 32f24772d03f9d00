// Reading the logs of AWS: flow logs of networks, and messages of subscriptions.
import { type FunctionSpec, fail } from '../../function.ts'
import { readJsonValue } from '../../json.ts'
import { arrayOf, type Kind, kinds, objectOf, union } from '../../kind.ts'
import { isArray, isObject, lossy, type ObjectValue, type Text, Timestamp, type Value } from '../../value.ts'
import { readWhole } from './capture.ts'

const flowFields: Readonly<Record<string, 'integer' | 'text'>> = {
  version: 'integer',
  account_id: 'text',
  interface_id: 'text',
  srcaddr: 'text',
  dstaddr: 'text',
  srcport: 'integer',
  dstport: 'integer',
  protocol: 'integer',
  packets: 'integer',
  bytes: 'integer',
  start: 'integer',
  end: 'integer',
  action: 'text',
  log_status: 'text',
  vpc_id: 'text',
  subnet_id: 'text',
  instance_id: 'text',
  tcp_flags: 'integer',
  type: 'text',
  pkt_srcaddr: 'text',
  pkt_dstaddr: 'text',
  region: 'text',
  az_id: 'text',
  sublocation_type: 'text',
  sublocation_id: 'text',
  pkt_src_aws_service: 'text',
  pkt_dst_aws_service: 'text',
  flow_direction: 'text',
  traffic_path: 'integer',
  ecs_cluster_arn: 'text',
  ecs_cluster_name: 'text',
  ecs_container_instance_arn: 'text',
  ecs_container_instance_id: 'text',
  ecs_container_id: 'text',
  ecs_second_container_id: 'text',
  ecs_service_name: 'text',
  ecs_task_definition_arn: 'text',
  ecs_task_arn: 'text',
  ecs_task_id: 'text',
  reject_reason: 'text',
  resource_id: 'text',
  encryption_status: 'integer'
}

const defaultFlow =
  'version account_id interface_id srcaddr dstaddr srcport dstport protocol packets bytes start end action log_status'

const flowKind: Record<string, Kind> = {}
for (const [name, type] of Object.entries(flowFields))
  flowKind[name] = union(type === 'integer' ? kinds.integer : kinds.string, kinds.null, kinds.undefined)

const subscriptionKind = objectOf({
  owner: kinds.string,
  message_type: kinds.string,
  log_group: kinds.string,
  log_stream: kinds.string,
  subscription_filters: arrayOf(kinds.string),
  log_events: arrayOf(objectOf({ id: kinds.string, timestamp: kinds.timestamp, message: kinds.string }))
})

export const awsParsers: readonly FunctionSpec[] = [
  {
    name: 'parse_aws_vpc_flow_log',
    summary: 'Reads a record of a flow log of a VPC; a dash is null.',
    params: [
      { name: 'value', kind: kinds.string },
      { name: 'format', kind: kinds.string, default: defaultFlow }
    ],
    returns: objectOf(flowKind),
    fallible: true,
    run: (value: Text, format: Text) => readFlow(lossy(value), lossy(format)),
    examples: [
      {
        title: 'Without data',
        source: 'parse_aws_vpc_flow_log!("2 1234 eni-1 - - - - - - - 1431280876 1431280934 - NODATA").end',
        result: '1431280934'
      },
      {
        title: 'Some fields',
        source: 'parse_aws_vpc_flow_log!("10.1.2.3 443 -", "srcaddr dstport action")',
        result: '{"action":null,"dstport":443,"srcaddr":"10.1.2.3"}'
      }
    ]
  },
  {
    name: 'parse_aws_cloudwatch_log_subscription_message',
    summary: 'Reads the message in which a subscription of CloudWatch delivers log events.',
    params: [{ name: 'value', kind: kinds.string }],
    returns: subscriptionKind,
    fallible: true,
    run: (value: Text) => readSubscription(lossy(value)),
    examples: [
      {
        title: 'A message',
        source:
          'parse_aws_cloudwatch_log_subscription_message!(s\'{"messageType":"DATA_MESSAGE","owner":"1","logGroup":"g","logStream":"s","subscriptionFilters":["f"],"logEvents":[{"id":"e1","timestamp":1741064767250,"message":"up"}]}\')',
        result:
          '{"log_events":[{"id":"e1","message":"up","timestamp":"2025-03-04T05:06:07.250Z"}],"log_group":"g","log_stream":"s","message_type":"DATA_MESSAGE","owner":"1","subscription_filters":["f"]}'
      }
    ]
  }
]

function readFlow(text: string, format: string): ReadonlyMap<string, Value> {
  const names = format.trim().split(/\s+/)
  const parts = text.trim().split(/\s+/)
  if (names.length !== parts.length)
    throw fail(`failed to parse flow log: the format has ${names.length} fields and the record ${parts.length}`)
  const found = new Map<string, Value>()
  for (const [i, name] of names.entries()) {
    const type = Object.hasOwn(flowFields, name) ? flowFields[name] : undefined
    if (type === undefined) throw fail(`failed to parse flow log: unknown field "${name.slice(0, 60)}"`)
    const part = parts[i]!
    found.set(name, part === '-' ? null : type === 'integer' ? readWhole(name, part) : part)
  }
  return found
}

function readSubscription(text: string): ReadonlyMap<string, Value> {
  const message = readJsonValue(text)
  if (!isObject(message)) throw broken('the message', 'an object')
  const events = message.get('logEvents')
  if (!isArray(events)) throw broken('logEvents', 'an array')
  const filters = message.get('subscriptionFilters')
  if (!isArray(filters) || !filters.every(filter => typeof filter === 'string'))
    throw broken('subscriptionFilters', 'an array of texts')
  return new Map<string, Value>([
    ['owner', textField(message, 'owner')],
    ['message_type', textField(message, 'messageType')],
    ['log_group', textField(message, 'logGroup')],
    ['log_stream', textField(message, 'logStream')],
    ['subscription_filters', filters],
    ['log_events', events.map(readEvent)]
  ])
}

function readEvent(event: Value): Value {
  if (!isObject(event)) throw broken('logEvents', 'an array of objects')
  const milliseconds = event.get('timestamp')
  if (typeof milliseconds !== 'bigint') throw broken('timestamp', 'an integer')
  if (milliseconds > 8_200_000_000_000_000n || milliseconds < -8_200_000_000_000_000n)
    throw broken('timestamp', 'a time')
  return new Map<string, Value>([
    ['id', textField(event, 'id')],
    ['timestamp', new Timestamp(milliseconds * 1_000_000n)],
    ['message', textField(event, 'message')]
  ])
}

function textField(object: ObjectValue, name: string): string {
  const value = object.get(name)
  if (typeof value !== 'string') throw broken(name, 'a text')
  return value
}

function broken(name: string, expected: string) {
  return fail(`unable to parse: ${name} must be ${expected}`)
}
