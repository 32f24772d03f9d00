// The small shop of the demo: metrics, logs and traces of the last hour, and of the time the demo runs.
import { formatCombined, shiftedLines } from './demo-log.ts'

/** Milliseconds of history. */
const past = 3_600_000
/** Milliseconds between samples: in the history, and while the demo runs. */
const pastStep = 15_000
const liveStep = 5_000
/** The payment service fails around the start of the demo, and repeatedly afterwards. Milliseconds. */
const outage = { before: 240_000, after: 300_000, every: 1_800_000 }

const services = ['web', 'cart', 'payment'] as const
type Service = (typeof services)[number]
const paths: Readonly<Record<Service, readonly string[]>> = {
  web: ['/', '/search', '/tea/oolong', '/checkout'],
  cart: ['/add', '/list'],
  payment: ['/pay']
}
const bounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

export interface Shop {
  /** Sends the history. */
  begin(now: number): Promise<void>
  /** Sends new data until the signal fires; data that cannot be sent is dropped. */
  goOn(signal: AbortSignal): Promise<void>
}

/** `url` is the server, `log` lines of an access log. */
export function createShop(
  url: string,
  log: readonly string[],
  pause: (ms: number, signal: AbortSignal) => Promise<void>
): Shop {
  const random = generator(7)
  const counters = new Map<string, Counter>()
  let started = 0
  let line = 0
  const send = async (path: string, type: string, body: string) => {
    const response = await fetch(url + path, { method: 'POST', headers: { 'content-type': type }, body })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    await response.body?.cancel()
  }
  const sendJson = (path: string, body: unknown) =>
    send(`/v1/telemetry/v1/${path}`, 'application/json', JSON.stringify(body))
  const fails = (time: number) => {
    const since = (((time - started + outage.before) % outage.every) + outage.every) % outage.every
    return since < outage.before + outage.after
  }

  /** Counts the events of a step that ends at `time`. */
  const measure = (time: number, step: number) => {
    for (const service of services) {
      for (const path of paths[service]) {
        const base = service === 'web' ? 4 : service === 'cart' ? 2 : 1
        const wave = 1 + 0.4 * Math.sin(time / 600_000) + 0.2 * random()
        const requests = Math.max(1, Math.round((base * wave * step) / 1_000))
        const failed = service === 'payment' && fails(time) ? Math.ceil(requests * 0.3) : random() < 0.02 ? 1 : 0
        const counter = counters.get(service + path) ?? newCounter(service, path)
        counters.set(service + path, counter)
        counter.ok += requests - failed
        counter.failed += failed
        for (let i = 0; i < Math.min(requests, 20); i++) {
          const seconds = 0.02 * Math.exp(3 * random()) * (service === 'payment' && fails(time) ? 4 : 1)
          const bucket = bounds.findIndex(bound => seconds <= bound)
          counter.buckets[bucket < 0 ? bounds.length : bucket]!++
          counter.sum += seconds
        }
        counter.points.push({
          time,
          ok: counter.ok,
          failed: counter.failed,
          buckets: [...counter.buckets],
          sum: counter.sum
        })
      }
    }
  }
  const sendMetrics = async (times: readonly number[]) => {
    const resourceMetrics = services.map(service => ({
      resource: resourceOf(service),
      scopeMetrics: [
        {
          scope: { name: 'shop' },
          metrics: metricsOf(
            [...counters.values()].filter(each => each.service === service),
            service,
            times,
            random
          )
        }
      ]
    }))
    for (const counter of counters.values()) counter.points.length = 0
    await sendJson('metrics', { resourceMetrics })
  }
  const sendTraces = async (times: readonly number[]) => {
    const traces = times.map(time => traceOf(time, fails(time) && random() < 0.4, random))
    const spans = traces.flatMap(trace => trace.spans)
    const resourceSpans = services.map(service => ({
      resource: resourceOf(service),
      scopeSpans: [
        {
          scope: { name: 'shop' },
          spans: spans.filter(each => each.service === service).map(({ service: _, ...span }) => span)
        }
      ]
    }))
    await sendJson('traces', { resourceSpans })
    const resourceLogs = services.map(service => ({
      resource: resourceOf(service),
      scopeLogs: [
        {
          scope: { name: 'shop' },
          logRecords: traces.flatMap(({ logs }) =>
            logs.filter(each => each.service === service).map(({ service: _, ...record }) => record)
          )
        }
      ]
    }))
    await sendJson('logs', { resourceLogs })
  }
  const live = async () => {
    const now = Date.now()
    const lines = Array.from({ length: 3 }, (_, i) => formatCombined(log[(line + i) % log.length]!, now - i * 1_000))
    line += lines.length
    measure(now, liveStep)
    await sendMetrics([now])
    await sendTraces([now - 3_000, now - 1_000])
    await send('/v1/ingest?table=shop&pipeline_name=access', 'text/plain', lines.join('\n'))
  }
  const steps = (from: number, to: number, step: number) =>
    Array.from({ length: Math.floor((to - from) / step) }, (_, i) => from + (i + 1) * step)

  return {
    async begin(now) {
      started = now
      const times = steps(now - past, now, pastStep)
      for (const time of times) measure(time, pastStep)
      await sendMetrics(times)
      await sendTraces(steps(now - past, now, 20_000))
      await send('/v1/ingest?table=shop&pipeline_name=access', 'text/plain', shiftedLines(log, now).join('\n'))
    },
    async goOn(signal) {
      while (!signal.aborted)
        await pause(liveStep, signal)
          .then(live)
          .catch(() => {})
    }
  }
}

interface Counter {
  readonly service: Service
  readonly path: string
  ok: number
  failed: number
  sum: number
  readonly buckets: number[]
  readonly points: { time: number; ok: number; failed: number; sum: number; buckets: number[] }[]
}

function newCounter(service: Service, path: string): Counter {
  return { service, path, ok: 0, failed: 0, sum: 0, buckets: new Array(bounds.length + 1).fill(0), points: [] }
}

const nano = (time: number) => String(BigInt(Math.round(time * 1_000)) * 1_000n)
const attributesOf = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([key, value]) => ({ key, value: { stringValue: value } }))
const resourceOf = (service: Service) => ({ attributes: attributesOf({ 'service.name': service }) })

function metricsOf(counters: readonly Counter[], service: Service, times: readonly number[], random: () => number) {
  const sums = counters.flatMap(({ path, points }) =>
    points.flatMap(({ time, ok, failed }) =>
      (['ok', 'failed'] as const).map(key => ({
        attributes: attributesOf({ path, status: key === 'ok' ? '200' : '500' }),
        timeUnixNano: nano(time),
        asInt: String(key === 'ok' ? ok : failed)
      }))
    )
  )
  const histograms = counters.flatMap(({ path, points }) =>
    points.map(({ time, buckets, sum }) => ({
      attributes: attributesOf({ path }),
      timeUnixNano: nano(time),
      count: String(buckets.reduce((all, each) => all + each, 0)),
      sum,
      bucketCounts: buckets.map(String),
      explicitBounds: bounds
    }))
  )
  const queue = times.map(time => ({
    attributes: [],
    timeUnixNano: nano(time),
    asDouble: Math.round(20 + 12 * Math.sin(time / 400_000) + 4 * random())
  }))
  return [
    {
      name: 'shop_requests',
      description: 'Requests answered.',
      sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: sums }
    },
    {
      name: 'shop_request_duration',
      description: 'Time of requests.',
      unit: 's',
      histogram: { aggregationTemporality: 2, dataPoints: histograms }
    },
    ...(service === 'cart'
      ? [{ name: 'shop_queue_length', description: 'Orders that wait.', gauge: { dataPoints: queue } }]
      : [])
  ]
}

/** A visit to the checkout: spans of three services, log lines of two. */
function traceOf(time: number, isFailed: boolean, random: () => number) {
  const id = (bytes: number) =>
    Array.from({ length: bytes }, () =>
      Math.floor(random() * 256)
        .toString(16)
        .padStart(2, '0')
    ).join('')
  const traceId = id(16)
  const [web, cart, payment] = [id(8), id(8), id(8)]
  const long = (isFailed ? 900 : 120) * (0.6 + random())
  const order = String(1_000 + Math.floor(random() * 9_000))
  const span = (
    service: Service,
    spanId: string,
    parentSpanId: string,
    name: string,
    start: number,
    end: number,
    failed: boolean
  ) => ({
    ...{ service, traceId, spanId, name, kind: 2 },
    ...(parentSpanId !== '' && { parentSpanId }),
    startTimeUnixNano: nano(start),
    endTimeUnixNano: nano(end),
    attributes: attributesOf({ 'order.id': order }),
    status: { code: failed ? 2 : 1 }
  })
  const record = (service: Service, spanId: string, at: number, severityText: string, text: string) => ({
    ...{ service, traceId, spanId, severityText, timeUnixNano: nano(at) },
    severityNumber: severityText === 'ERROR' ? 17 : 9,
    body: { stringValue: text },
    attributes: attributesOf({ order })
  })
  const logs = [
    record('web', web, time, 'INFO', `checkout of order ${order} begins`),
    isFailed
      ? record(
          'payment',
          payment,
          time + long * 0.8,
          'ERROR',
          `payment failed for order ${order}: the bank does not answer`
        )
      : record('payment', payment, time + long * 0.8, 'INFO', `order ${order} is paid`)
  ]
  const spans = [
    span('web', web, '', 'GET /checkout', time, time + long, isFailed),
    span('cart', cart, web, 'GET /list', time + 5, time + long * 0.2, false),
    span('payment', payment, web, 'POST /pay', time + long * 0.3, time + long * 0.9, isFailed)
  ]
  return { spans, logs }
}

/** A pseudo-random generator of numbers in [0, 1), the same at every start. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
