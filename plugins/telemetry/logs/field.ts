// Field numbers of a log record.

export const record = {
  time: 1,
  severityNumber: 2,
  severityText: 3,
  body: 5,
  attributes: 6,
  flags: 8,
  traceId: 9,
  spanId: 10,
  observedTime: 11,
  eventName: 12
} as const
