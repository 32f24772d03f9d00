// Traces by the Jaeger query API of the server.
import { ApiError, json } from './http.ts'

const root = '/v1/jaeger/api'

export interface Tag {
  readonly key: string
  readonly value: unknown
}

export interface Span {
  readonly spanID: string
  readonly operationName: string
  readonly references: readonly { readonly refType: string; readonly traceID: string; readonly spanID: string }[]
  /** Microseconds since 1970. */
  readonly startTime: number
  /** Microseconds. */
  readonly duration: number
  readonly tags: readonly Tag[]
  readonly logs: readonly { readonly timestamp: number; readonly fields: readonly Tag[] }[]
  readonly processID: string
}

export interface Trace {
  readonly traceID: string
  readonly spans: readonly Span[]
  readonly processes: Readonly<Record<string, { readonly serviceName: string; readonly tags: readonly Tag[] }>>
}

export async function services(signal?: AbortSignal): Promise<readonly string[]> {
  return data<string>('/services', {}, signal)
}

export async function operations(service: string, signal?: AbortSignal): Promise<readonly string[]> {
  return data<string>(`/services/${encodeURIComponent(service)}/operations`, {}, signal)
}

export interface TraceSearch {
  readonly service: string
  readonly operation?: string | undefined
  /** `key=value`, separated by blanks; a value with blanks in quotes. */
  readonly tags?: string | undefined
  readonly minDuration?: string | undefined
  readonly maxDuration?: string | undefined
  readonly limit: number
  /** Milliseconds since 1970. */
  readonly from: number
  readonly to: number
}

export async function searchTraces(search: TraceSearch, signal?: AbortSignal): Promise<readonly Trace[]> {
  const { from, to, tags, ...rest } = search
  const read = readTags(tags ?? '')
  const query = {
    ...rest,
    start: Math.floor(from * 1000),
    end: Math.ceil(to * 1000),
    ...(Object.keys(read).length > 0 && { tags: JSON.stringify(read) })
  }
  return data<Trace>('/traces', query, signal)
}

/** Undefined when there is none. */
export async function traceById(id: string, signal?: AbortSignal): Promise<Trace | undefined> {
  try {
    return (await data<Trace>(`/traces/${encodeURIComponent(id)}`, {}, signal))[0]
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

async function data<T>(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
  signal?: AbortSignal
) {
  const filled = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))
  return (await json<{ readonly data: readonly T[] }>(root + path, { query: filled, signal })).data
}

export function readTags(text: string): Record<string, string> {
  const found = text.matchAll(/([^\s=]+)=("(?:[^"\\]|\\.)*"|\S*)/g)
  return Object.fromEntries(
    Array.from(found, ([, key, value]) => [key!, value!.startsWith('"') ? (JSON.parse(value!) as string) : value!])
  )
}

export function serviceOf(trace: Trace, span: Span): string {
  return trace.processes[span.processID]?.serviceName ?? ''
}

export function isError(span: Span): boolean {
  return span.tags.some(({ key, value }) => key === 'error' && (value === true || value === 'true'))
}
