import t from 'tap'
import { run } from './run.ts'

t.test('texts of addresses are read strictly and written in their shortest form', async t => {
  for (const [text, shortest] of [
    ['1.2.3.4', '1.2.3.4'],
    ['::', '::'],
    ['::1', '::1'],
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['1:0:0:2::', '1:0:0:2::'],
    ['1:2:3:4:5:6:0:8', '1:2:3:4:5:6:0:8'],
    ['::ffff:1.2.3.4', '::ffff:1.2.3.4'],
    ['::1.2.3.4', '::102:304'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221']
  ] as const)
    t.equal(run(`ip_ntop!(ip_pton!("${text}"))`), `"${shortest}"`, text)
  const wrong = ['', '1.2.3', '1.2.3.256', '01.2.3.4', '1.2.3.4.5', ':', ':::', '1::2::3', '12345::', '1:2:3:4:5:6:7']
  for (const text of [
    ...wrong,
    '1:2:3:4:5:6:7:8:9',
    '1.2.3.4::',
    'fe80::1%eth0',
    '::ffff:1.2.3',
    ' ::1',
    '1:2:3:4:5:6:7::8'
  ])
    t.match(run(`ip_pton!("${text}")`), 'unable to parse IP address: invalid IP address syntax', text)
})

t.test('an address is of one version', async t => {
  t.equal(
    run('[is_ipv4("1.2.3.4"), is_ipv6("1.2.3.4"), is_ipv4("::1"), is_ipv6("::1"), is_ipv4("")]'),
    '[true,false,false,true,false]'
  )
  t.equal(run('ip_aton!("255.255.255.255")'), '4294967295')
  t.match(run('ip_ntoa!(4294967296)'), 'out of range')
  t.match(run('ip_ntoa!(-1)'), 'out of range')
  t.match(run('ip_ntop!("abc")'), 'has 3')
  t.equal(run('ipv6_to_ipv4!("::1.2.3.4")'), '"1.2.3.4"')
  t.equal(run('ipv6_to_ipv4!("1.2.3.4")'), '"1.2.3.4"')
  t.equal(run('ip_to_ipv6!("2001:db8::1")'), '"2001:db8::1"')
})

t.test('ranges contain addresses of their own version', async t => {
  const contains = (cidr: string, ip: string) => run(`ip_cidr_contains!(${cidr}, "${ip}")`)
  t.equal(contains('"0.0.0.0/0"', '9.9.9.9'), 'true')
  t.equal(contains('"0.0.0.0/0"', '::9'), 'false')
  t.equal(contains('"10.0.0.1"', '10.0.0.1'), 'true')
  t.equal(contains('"10.0.0.0/31"', '10.0.0.2'), 'false')
  t.equal(contains('"2001:db8::/33"', '2001:db8:7fff::1'), 'true')
  t.equal(contains('[]', '10.0.0.2'), 'false')
  t.match(contains('"10.0.0.1/8"', '10.0.0.2'), 'error[E403]')
  t.match(contains('["10.0.0.0/33"]', '10.0.0.2'), 'error[E403]')
  t.match(contains('.c', '10.0.0.2'), 'expected string or array, got null')
  t.match(run('ip_cidr_contains!(string!(.c), "1.1.1.1")', '{"c":"10.0.0.1/8"}'), 'host part of address was not zero')
  t.match(run('ip_cidr_contains!(string!(.c), "1.1.1.1")', '{"c":"10/8"}'), "couldn't parse address in network")
})

t.test('subnets need a mask of the same version', async t => {
  t.equal(run('ip_subnet!("10.1.2.3", "/0")'), '"0.0.0.0"')
  t.equal(run('ip_subnet!("10.1.2.3", "255.255.0.0")'), '"10.1.0.0"')
  t.match(run('ip_subnet!("10.1.2.3", "/33")'), 'not a valid subnet')
  t.match(run('ip_subnet!("10.1.2.3", "/x")'), 'not a valid subnet')
  t.match(run('ip_subnet!("10.1.2.3", "ffff::")'), 'attempting to mask an ipv4 address with an ipv6 mask')
})

t.test('encrypted addresses come back, and prefixes stay together', async t => {
  for (const ip of ['10.1.2.3', '0.0.0.0', '2001:db8::1', '::1', '255.255.255.255'])
    for (const [mode, key] of [
      ['aes128', '0123456789abcdef'],
      ['pfx', '0123456789abcdefghijklmnopqrstuv']
    ])
      t.equal(
        run(`decrypt_ip!(encrypt_ip!("${ip}", "${key}", "${mode}"), "${key}", "${mode}")`),
        `"${ip}"`,
        `${mode} ${ip}`
      )
  t.equal(run('is_ipv4(encrypt_ip!("10.1.2.3", "0123456789abcdefghijklmnopqrstuv", "pfx"))'), 'true')
  t.match(run(`encrypt_ip!("::1", "${'a'.repeat(32)}", "pfx")`), 'halves of the key must differ')
  t.match(run('encrypt_ip!("::1", "a", "aes")'), "Invalid mode 'aes'. Must be 'aes128' or 'pfx'")
  t.match(run('encrypt_ip!("1.1.1.1", "a", "aes128")'), 'aes128 mode requires a 16-byte key for IPv4')
})
