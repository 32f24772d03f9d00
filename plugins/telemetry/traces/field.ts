// Field numbers of spans and their parts.

export const span = {
  traceId: 1,
  spanId: 2,
  traceState: 3,
  parentSpanId: 4,
  name: 5,
  kind: 6,
  start: 7,
  end: 8,
  attributes: 9,
  droppedAttributes: 10,
  events: 11,
  droppedEvents: 12,
  links: 13,
  droppedLinks: 14,
  status: 15,
  flags: 16
} as const
export const status = { message: 2, code: 3 } as const
export const event = { time: 1, name: 2, attributes: 3, dropped: 4 } as const
export const link = { traceId: 1, spanId: 2, traceState: 3, attributes: 4, dropped: 5, flags: 6 } as const

/** By number. */
export const kindNames = [
  'SPAN_KIND_UNSPECIFIED',
  'SPAN_KIND_INTERNAL',
  'SPAN_KIND_SERVER',
  'SPAN_KIND_CLIENT',
  'SPAN_KIND_PRODUCER',
  'SPAN_KIND_CONSUMER'
] as const

/** By number; the last is for spans without a status. */
export const statusNames = ['STATUS_CODE_UNSET', 'STATUS_CODE_OK', 'STATUS_CODE_ERROR', ''] as const
