// Certificates for tests, made by openssl.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from './programs.ts'

/** A certificate for 127.0.0.1 that signs itself. */
export function makeCertificate(folder: string, name: string) {
  const [cert, key] = ['pem', 'key'].map(ending => join(folder, `${name}.${ending}`)) as [string, string]
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1']
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '9']
  execFileSync(findProgram('openssl')!, ['req', ...kind, ...subject, '-keyout', key, '-out', cert], { stdio: 'pipe' })
  return { cert, key }
}

/** A certificate of `subject` that an authority has signed; `name`: of its files. */
export function signed(
  folder: string,
  name: string,
  authority: { readonly cert: string; readonly key: string },
  subject = name
) {
  const [cert, key, asked] = ['pem', 'key', 'csr'].map(ending => join(folder, `${name}.${ending}`)) as [
    string,
    string,
    string
  ]
  const run = (...args: string[]) => execFileSync(findProgram('openssl')!, args, { stdio: 'pipe' })
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  run('req', ...kind, '-subj', `/CN=${subject}`, '-keyout', key, '-out', asked)
  run(
    'x509',
    '-req',
    '-in',
    asked,
    '-CA',
    authority.cert,
    '-CAkey',
    authority.key,
    '-CAcreateserial',
    '-days',
    '9',
    '-out',
    cert
  )
  return { cert: readFileSync(cert), key: readFileSync(key) }
}
