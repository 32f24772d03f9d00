import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import t from 'tap'
import { fits, hashPassword, parseSecret } from '../../../core/auth/password.ts'

const salt = '9f3c41d2a7b8e05512aa77cc01de9934'
const salted = (password: string, iterations: number) =>
  pbkdf2Sync(password, Buffer.from(salt, 'hex'), iterations, 32, 'sha256')

t.test('bare and plain secrets are the password itself', async t => {
  t.ok(await fits(parseSecret('plum-88'), 'plum-88'))
  t.ok(await fits(parseSecret('plain:drop:only'), 'drop:only'))
  t.notOk(await fits(parseSecret('plum-88'), 'plum-89'))
  t.notOk(await fits(parseSecret('plum-88'), 'plum'))
})

t.test('PBKDF2 secrets take the right password only', async t => {
  const secret = parseSecret(`pbkdf2_sha256:10:${salt}:${salted('hush', 10).toString('hex')}`)
  t.ok(await fits(secret, 'hush'))
  t.notOk(await fits(secret, 'Hush'))
})

t.test('SCRAM secrets take the right password only', async t => {
  const clientKey = createHmac('sha256', salted('hush', 10)).update('Client Key').digest()
  const stored = createHash('sha256').update(clientKey).digest('hex')
  const secret = parseSecret(`pg_scram_sha256:10:${salt}:${stored}:${'0'.repeat(64)}`)
  t.ok(await fits(secret, 'hush'))
  t.notOk(await fits(secret, 'hash'))
})

t.test('a secret made for another protocol takes no password', async t => {
  t.notOk(await fits(parseSecret(`mysql_native_password:${'ab'.repeat(20)}`), 'hush'))
})

t.test('a new hash fits its password and has the documented form', async t => {
  const hash = await hashPassword('päss:wörd=1')
  t.match(hash, /^pbkdf2_sha256:4096:[0-9a-f]{32}:[0-9a-f]{64}$/)
  t.ok(await fits(parseSecret(hash), 'päss:wörd=1'))
  t.not(await hashPassword('päss:wörd=1'), hash)
})

t.test('malformed secrets are refused without being repeated', async t => {
  const hash = 'a1'.repeat(32)
  const bad: [string, RegExp][] = [
    ['', /the password is empty/],
    ['plain:', /the password is empty/],
    [`pbkdf2_sha256:0:${salt}:${hash}`, /iterations must be 1 to 1000000/],
    [`pbkdf2_sha256:1000001:${salt}:${hash}`, /iterations/],
    [`pbkdf2_sha256:10:xyz:${hash}`, /salt must be 1 to 1024 bytes in hex/],
    [`pbkdf2_sha256:10:${'00'.repeat(1025)}:${hash}`, /salt/],
    [`pbkdf2_sha256:10:${salt}:${hash}00`, /hash must be 32 bytes in hex/],
    [`pbkdf2_sha256:10:${salt}`, /takes 3 parts after its name, got 2/],
    [`pg_scram_sha256:10:${salt}:${hash}:1`, /server key must be 32 bytes/],
    ['mysql_native_password:a1', /hash must be 20 bytes/]
  ]
  for (const [text, message] of bad) {
    t.throws(() => parseSecret(text), { message }, text)
    try {
      parseSecret(text)
    } catch (error) {
      t.notMatch((error as Error).message, hash)
    }
  }
})
