// Log records as protobuf and JSON, for tests.
import {
  type Attributes,
  anyValue,
  attributes,
  data,
  fixed32,
  fixed64,
  jsonAttributes,
  jsonValue,
  message,
  text,
  uint,
  type Value
} from '../proto.ts'

export interface TestRecord {
  readonly time?: bigint
  readonly observed?: bigint
  readonly severityNumber?: number
  readonly severityText?: string
  readonly body?: Value
  readonly attributes?: Attributes
  readonly flags?: number
  readonly traceId?: string
  readonly spanId?: string
  readonly eventName?: string
}

const when = <T>(value: T | undefined, write: (value: T) => Buffer) => (value === undefined ? undefined : write(value))

export function record(log: TestRecord): Buffer {
  return message(
    when(log.time, value => fixed64(1, value)),
    when(log.severityNumber, value => uint(2, value)),
    when(log.severityText, value => text(3, value)),
    when(log.body, value => data(5, anyValue(value))),
    when(log.attributes, value => attributes(6, value)),
    when(log.flags, value => fixed32(8, value)),
    when(log.traceId, value => data(9, Buffer.from(value, 'hex'))),
    when(log.spanId, value => data(10, Buffer.from(value, 'hex'))),
    when(log.observed, value => fixed64(11, value)),
    when(log.eventName, value => text(12, value))
  )
}

export function recordJson(log: TestRecord): object {
  return {
    ...(log.time !== undefined && { timeUnixNano: String(log.time) }),
    ...(log.observed !== undefined && { observedTimeUnixNano: String(log.observed) }),
    ...(log.severityNumber !== undefined && { severityNumber: log.severityNumber }),
    ...(log.severityText !== undefined && { severityText: log.severityText }),
    ...(log.body !== undefined && { body: jsonValue(log.body) }),
    ...(log.attributes !== undefined && { attributes: jsonAttributes(log.attributes) }),
    ...(log.flags !== undefined && { flags: log.flags }),
    ...(log.traceId !== undefined && { traceId: log.traceId }),
    ...(log.spanId !== undefined && { spanId: log.spanId }),
    ...(log.eventName !== undefined && { eventName: log.eventName })
  }
}
