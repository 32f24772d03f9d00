import { renameSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createUserProvider } from '../../../core/auth/create.ts'
import { hashPassword, makeToken } from '../../../core/auth/password.ts'
import type { UserProvider } from '../../../core/auth/provider.ts'
import { createTableProvider } from '../../../core/auth/static.ts'
import { parseUserFile, parseUserList } from '../../../core/auth/users.ts'
import { createLogger } from '../../../core/log/log.ts'
import { eventually } from '../../eventually.ts'

const log = createLogger({
  dir: '',
  level: 'info',
  log_format: 'text',
  max_log_files: 0,
  max_log_file_size: 0,
  append_stdout: false
})

const login = (provider: UserProvider, user: string, password: string) =>
  provider.authenticate({ kind: 'password', user, password })

t.test('a credential file is read line by line, bad lines are skipped with a warning', async t => {
  const warnings: string[] = []
  const text = [
    '# team accounts',
    '',
    '  mia = plum-88 ',
    'dash:ro=plain:a=b',
    'agent:Write_Only=drop',
    'no secret here',
    'odd:xx=secret-1',
    '=secret-2',
    'blank=',
    'mia:readonly=second',
    `old=mysql_native_password:${'ab'.repeat(20)}`
  ].join('\r\n')
  const users = parseUserFile(text, message => warnings.push(message))
  t.strictSame(
    [...users.values()].map(({ name, mode }) => [name, mode]),
    [
      ['mia', 'ro'],
      ['dash', 'ro'],
      ['agent', 'wo'],
      ['old', 'rw']
    ]
  )
  t.strictSame(warnings, [
    'line 6 is skipped: expected user=secret, user:mode=secret or user:mode@database=secret',
    'line 7 is skipped: unknown permission mode of user odd: expected rw, ro or wo',
    'line 8 is skipped: the user name is empty',
    'line 9 is skipped: the password is empty',
    'line 11: this kind of password cannot be used over HTTP'
  ])
})

t.test('a file lets its users in, the first = splits', async t => {
  const file = join(t.testdir({ users: `mia=a=b\ndash:ro=${await hashPassword('hush')}\n` }), 'users')
  const provider = await createUserProvider(`static_user_provider:file:${file}`, log)
  t.strictSame(await login(provider, 'mia', 'a=b'), { name: 'mia', mode: 'rw' })
  t.strictSame(await login(provider, 'dash', 'hush'), { name: 'dash', mode: 'ro' })
  t.strictSame(await login(provider, 'dash', 'hush'), { name: 'dash', mode: 'ro' }, 'again, remembered')
  await t.rejects(login(provider, 'dash', 'hash'), { code: 'UserPasswordMismatch' })
  await provider.close()
})

t.test('wrong password and unknown user answer with one code and one text', async t => {
  const provider = await createUserProvider('static_user_provider:cmd:mia=plum,dash:ro=x', log)
  const text = (user: string) => ({
    code: 'UserPasswordMismatch',
    status: 401,
    message: `Username and password does not match, username: ${user}`
  })
  await t.rejects(login(provider, 'mia', 'plumb'), text('mia'))
  await t.rejects(login(provider, 'nobody', 'plum'), text('nobody'))
  await t.rejects(login(provider, '', 'x'), { code: 'InvalidArguments', status: 401, message: /blank username/ })
  await t.rejects(login(provider, 'mia', ' '), { code: 'InvalidArguments', status: 401, message: /blank password/ })
  await t.rejects(provider.authenticate({ kind: 'bearer', token: 'x' }), {
    code: 'UserPasswordMismatch',
    message: 'the token is not known'
  })
})

t.test('a refusal costs a derivation for unknown users and cheap secrets too, a remembered password none', async t => {
  const slow = await hashPassword('hush', 400_000)
  const provider = await createUserProvider(`static_user_provider:cmd:mia=plum,dash=${slow}`, log)
  const time = async (user: string, password: string) => {
    const start = process.hrtime.bigint()
    await login(provider, user, password).catch(() => {})
    return Number(process.hrtime.bigint() - start) / 1e6
  }
  const first = await time('dash', 'hush')
  t.ok((await time('dash', 'hush')) < first / 5, 'remembered')
  for (const [user, password] of [
    ['dash', 'wrong'],
    ['mia', 'wrong'],
    ['nobody', 'wrong']
  ] as const)
    t.ok((await time(user, password)) > first / 5, user)
})

t.test('tries of passwords take two threads of the pool at most, and hold up no known user', async t => {
  const provider = await createUserProvider(
    `static_user_provider:cmd:mia=plum,dash=${await hashPassword('hush', 50_000)}`,
    log
  )
  await login(provider, 'dash', 'hush')
  let refused = 0
  const tries = Array.from({ length: 24 }, (_, i) =>
    login(provider, i % 2 === 0 ? 'dash' : 'nobody', `guess ${i}`).catch(() => refused++)
  )
  await Promise.all([login(provider, 'dash', 'hush'), login(provider, 'mia', 'plum')])
  t.ok(refused < 12, `${refused} guesses came before them`)
  const sync = await open(join(t.testdir({}), 'file'), 'w')
  await sync.sync()
  await sync.close()
  t.ok(refused < 24, `a file was synced after ${refused} guesses`)
  await Promise.all(tries)
  t.equal(refused, 24)
})

t.test('many that come with the right password at once are all let in', async t => {
  const provider = await createUserProvider(`static_user_provider:cmd:dash=${await hashPassword('hush')}`, log)
  const all = await Promise.all(Array.from({ length: 50 }, () => login(provider, 'dash', 'hush')))
  t.equal(all.length, 50)
})

t.test('a provider that cannot be made is a problem of its key and repeats no password', async t => {
  const dir = t.testdir({ empty: '# nobody\n', folder: {} })
  const bad: [string, RegExp][] = [
    ['ldap:x', /^user_provider: expected static_user_provider:file:PATH/],
    ['static_user_provider:cmd:', /expected static_user_provider/],
    ['static_user_provider:cmd:mia=ok,plum-88', /the list of users: entry 2: expected user=secret/],
    [`static_user_provider:file:${dir}/none`, /none: no such file/],
    [`static_user_provider:file:${dir}/empty`, /empty: no line holds a valid credential/],
    [`watch_file_user_provider:${dir}/none`, /none: no such file/],
    [`watch_file_user_provider:${dir}/folder`, /folder: EISDIR/]
  ]
  for (const [text, message] of bad) {
    const error: Error = await createUserProvider(text, log).then(
      () => new Error('it was made'),
      (error: Error) => error
    )
    t.equal(error.name, 'ConfigError')
    t.match(error.message, message)
    t.notMatch(error.message, 'plum-88')
  }
})

t.test('a watched file is read again after a change or a rename; an invalid one keeps the users', async t => {
  const dir = t.testdir({ users: 'mia=one\n' })
  const file = join(dir, 'users')
  const provider = await createUserProvider(`watch_file_user_provider:${file}`, log)
  t.teardown(() => provider.close())
  const isGood = (password: string) => eventually(() => login(provider, 'mia', password))
  t.ok(await isGood('one'))
  writeFileSync(file, 'mia=two\n')
  t.ok(await isGood('two'), 'changed in place')
  await t.rejects(login(provider, 'mia', 'one'), { code: 'UserPasswordMismatch' })
  writeFileSync(join(dir, 'next'), 'mia=three\n')
  renameSync(join(dir, 'next'), file)
  t.ok(await isGood('three'), 'replaced by a rename')
  writeFileSync(file, '# nobody any more\n')
  await sleep(200)
  t.strictSame(await login(provider, 'mia', 'three'), { name: 'mia', mode: 'rw' })
  writeFileSync(file, 'mia=four\n')
  t.ok(await isGood('four'), 'valid again')
})

t.test('tokens are kept hashed, have rights of their own, and end', async t => {
  const [one, two, old] = [makeToken(), makeToken(), makeToken()]
  const users = parseUserFile(
    `bot:ro@a=${one.secret}\nbot:wo=${two.secret}:2999-01-31T00:00:00Z\nbot=${old.secret}:2020-01-31\nbot=pass-word\n`,
    () => t.fail('every line is good')
  )
  const provider = createTableProvider('test', () => users)
  const bearer = (token: string) => provider.authenticate({ kind: 'bearer', token })
  t.match(await bearer(one.token), { name: 'bot', mode: 'ro', databases: new Map([['a', 'ro']]) })
  t.strictSame(await bearer(two.token), { name: 'bot', mode: 'wo' })
  t.strictSame(await login(provider, 'bot', 'pass-word'), { name: 'bot', mode: 'rw' })
  await t.rejects(bearer(old.token), { code: 'UserPasswordMismatch', message: /ended at 2020-01-31/ })
  await t.rejects(bearer(`${one.token}x`), { code: 'UserPasswordMismatch', message: 'the token is not known' })
  await t.rejects(login(provider, 'bot', one.token), { code: 'UserPasswordMismatch' }, 'a token is not a password')
  await t.rejects(login(provider, `token:${one.secret.split(':')[1]}`, one.token), { code: 'UserPasswordMismatch' })
  for (const secret of ['token_sha256:12', `${one.secret}:soon`, 'certificate:x'])
    t.throws(() => parseUserList(`a=${secret}`), secret)
})

t.test('a certificate names a user, who needs no password', async t => {
  const users = parseUserFile(`agent:wo=certificate:\nmia=plum-88\nbot=${makeToken().secret}\n`, () => {})
  const provider = createTableProvider('test', () => users)
  const certified = (user: string) => provider.authenticate({ kind: 'certificate', user })
  t.strictSame(await certified('agent'), { name: 'agent', mode: 'wo' })
  t.strictSame(await certified('mia'), { name: 'mia', mode: 'rw' })
  for (const name of ['bot', 'nobody']) await t.rejects(certified(name), { code: 'UserPasswordMismatch' }, name)
  await t.rejects(login(provider, 'agent', 'certificate:'), { code: 'UserPasswordMismatch' })
})
