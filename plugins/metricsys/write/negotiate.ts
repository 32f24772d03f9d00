// Reads from the headers of a remote write request how its body is encoded.
import type { IncomingHttpHeaders } from 'node:http'
import { DbError } from '../../../core/index.ts'

export type Version = '1.0' | '2.0'
export type Codec = 'snappy' | 'zstd' | 'gzip'

const messages: Readonly<Record<string, Version>> = {
  'prometheus.WriteRequest': '1.0',
  'io.prometheus.write.v2.Request': '2.0'
}

/** The version a content type names; without one it is 1.0. Throws DbError with status 415. */
export function versionOf(headers: IncomingHttpHeaders): Version {
  const version = readVersion(headers['content-type'])
  if (version !== undefined) return version
  const known = Object.keys(messages).join(', ')
  throw unsupported(
    `unsupported prometheus remote write content type: ${headers['content-type']}, expected application/x-protobuf with proto one of ${known}`
  )
}

/** Undefined for content types that are not remote write. */
export function readVersion(contentType: string | undefined): Version | undefined {
  if (contentType === undefined || contentType.trim() === '') return '1.0'
  const [media = '', ...parameters] = contentType.split(';')
  if (media.trim().toLowerCase() !== 'application/x-protobuf') return undefined
  for (const parameter of parameters) {
    const equals = parameter.indexOf('=')
    if (parameter.slice(0, equals).trim().toLowerCase() !== 'proto') continue
    const name = parameter
      .slice(equals + 1)
      .trim()
      .replace(/^"(.*)"$/, '$1')
    return Object.hasOwn(messages, name) ? messages[name] : undefined
  }
  return '1.0'
}

/** Version 1.0 senders may leave the header out, and some send through a proxy that adds gzip. Throws DbError with status 415. */
export function codecOf(headers: IncomingHttpHeaders, version: Version): Codec {
  const name = headers['content-encoding']?.trim().toLowerCase()
  if (name === 'snappy' || name === 'zstd') return name
  if (version === '1.0' && (name === undefined || name === '')) return 'snappy'
  if (version === '1.0' && (name === 'gzip' || name === 'x-gzip')) return 'gzip'
  throw unsupported(
    `unsupported prometheus remote write content encoding: ${name ?? 'none'}: only snappy and zstd are supported`
  )
}

function unsupported(message: string): DbError {
  return new DbError('Unsupported', message, { status: 415 })
}
