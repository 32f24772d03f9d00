// The certificate of both servers: read at the start, and again when its files change.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, type SecureContextOptions, type TlsOptions } from 'node:tls'
import { ConfigError } from '../config/error.ts'
import type { Config } from '../config/schema.ts'
import { watchFile } from '../config/watch.ts'
import type { Logger } from '../log/log.ts'
import type { Metrics } from '../metrics/metrics.ts'

export interface Tls {
  /** Options for creating the server. */
  readonly options: SecureContextOptions & Pick<TlsOptions, 'requestCert' | 'rejectUnauthorized'>
  /** Gives the servers each new certificate; open connections keep theirs. Reads the files once more at the call. */
  follow(servers: readonly { readonly server: object }[]): { reload(): void; close(): void }
}

type TlsConfig = Config['http']['tls']

const serversPath = ['http', 'tls']

/** Undefined if no certificate is configured. Throws ConfigError if it cannot be used; `path` is the configuration table. */
export function openTls(
  config: TlsConfig,
  log: Logger,
  metrics: Metrics,
  path: readonly string[] = serversPath
): Tls | undefined {
  const reloads = metrics.counter('svc_servers_tls_reloads_total', 'Times a changed certificate was read.', ['result'])
  const help = 'When the certificate ends, in seconds since 1970.'
  const expiry = metrics.gauge('svc_servers_tls_certificate_expiry_seconds', help, ['file'])
  if (config.cert_path === '') return undefined
  for (const result of ['success', 'failure']) reloads.add(0, { result })
  let current = read(config, path)
  /** The last error, so that it is not logged at each look. */
  let refused = ''
  const expose = () => expiry.set(current.expires / 1000, { file: config.cert_path })
  expose()
  return {
    options: {
      ...current.options,
      requestCert: config.client_ca_path !== '',
      rejectUnauthorized: config.client_certificate === 'required'
    },
    follow(servers) {
      const look = () => {
        try {
          const next = read(config, path)
          refused = ''
          if (next.text === current.text) return
          for (const { server } of servers) setContext(server, next.options)
          current = next
          expose()
          reloads.add(1, { result: 'success' })
          log.info({ expires: new Date(next.expires).toISOString() }, 'the certificate was replaced')
        } catch (error) {
          const reason = (error as Error).message
          if (reason === refused) return
          refused = reason
          reloads.add(1, { result: 'failure' })
          log.error({ reason }, 'the certificate stays as it was: the new one cannot be used')
        }
      }
      const failed = (error: Error) => log.warn({ reason: error.message }, 'the certificate is not watched')
      const stops = [config.cert_path, config.key_path, config.client_ca_path]
        .filter(file => file !== '')
        .map(file => watchFile(file, look, failed))
      return {
        reload: look,
        close() {
          for (const stop of stops) stop()
        }
      }
    }
  }
}

/** Throws ConfigError if the certificate cannot be used. */
export function checkTls(config: TlsConfig): void {
  if (config.cert_path !== '') read(config, serversPath)
}

/** Reads the files; throws if they do not belong together. */
function read({ cert_path, key_path, client_ca_path, min_version }: TlsConfig, path: readonly string[]) {
  const readPem = (key: 'cert_path' | 'key_path' | 'client_ca_path', file: string) =>
    check([...path, key], `cannot read ${file}`, () => readFileSync(file, 'utf8'))
  const authorities = client_ca_path === '' ? '' : readPem('client_ca_path', client_ca_path)
  if (authorities !== '') {
    check([...path, 'client_ca_path'], `${client_ca_path} holds no certificate`, () => new X509Certificate(authorities))
  }
  const cert = readPem('cert_path', cert_path)
  const key = readPem('key_path', key_path)
  const options: SecureContextOptions = {
    cert,
    key,
    minVersion: min_version,
    ...(authorities !== '' && { ca: authorities })
  }
  const certificate = check([...path, 'cert_path'], `${cert_path} holds no certificate`, () => {
    return new X509Certificate(cert)
  })
  check([...path, 'key_path'], `${key_path} is not the key of ${cert_path}`, () => createSecureContext(options))
  return { text: `${cert}${key}${authorities}`, options, expires: Date.parse(certificate.validTo) }
}

function check<T>(path: readonly string[], what: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new ConfigError([{ path, message: `${what}: ${(error as Error).message.split('\n')[0]}` }])
  }
}

function setContext(server: object, options: SecureContextOptions): void {
  const secure = server as { setSecureContext(options: SecureContextOptions): void }
  secure.setSecureContext(options)
}
