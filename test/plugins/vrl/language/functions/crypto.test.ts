import t from 'tap'
import { run } from './run.ts'

t.test('every cipher undoes what it made, of any length, and refuses other lengths of keys', async t => {
  const sizes = {
    CFB: [1, 16],
    OFB: [1, 16],
    CTR: [1, 16],
    'CTR-LE': [1, 16],
    'CTR-BE': [1, 16],
    GCM: [1, 12],
    'GCM-16': [1, 16]
  }
  const padded = ['PKCS7', 'ANSIX923', 'ISO7816', 'ISO10126'].map(name => [`CBC-${name}`, [1, 16]] as const)
  const aes = [...Object.entries(sizes), ...padded].flatMap(([mode, [, iv]]) =>
    [128, 192, 256].map(bits => [`AES-${bits}-${mode}`, bits / 8, iv!] as const)
  )
  const others = [
    ['AES-128-SIV', 32, 16],
    ['AES-256-SIV', 64, 16],
    ['CHACHA20-POLY1305', 32, 12],
    ['xchacha20-poly1305', 32, 24],
    ['XSALSA20-POLY1305', 32, 24]
  ] as const
  for (const [name, key, iv] of [...aes, ...others]) {
    const rest = `"${name}", key: "${'k'.repeat(key)}", iv: "${'i'.repeat(iv)}"`
    for (const text of ['', 'weir', 'sixteen bytes ..', 'more than sixteen bytes'])
      t.equal(run(`decrypt!(encrypt!("${text}", ${rest}), ${rest})`), `"${text}"`, `${name}: ${text}`)
    t.match(
      run(`encrypt!("a", "${name}", key: "k", iv: "${'i'.repeat(iv)}")`),
      `Invalid key size. Expected ${key} bytes. Found 1 bytes`
    )
    t.match(
      run(`encrypt!("a", "${name}", key: "${'k'.repeat(key)}", iv: "")`),
      `Invalid iv size. Expected ${iv} bytes. Found 0 bytes`
    )
  }
})

t.test('changed and foreign texts cannot be decrypted', async t => {
  const key = 'k'.repeat(32)
  for (const [name, iv] of [
    ['AES-256-GCM', 12],
    ['CHACHA20-POLY1305', 12],
    ['XSALSA20-POLY1305', 24],
    ['AES-128-SIV', 16],
    ['AES-256-CBC-PKCS7', 16]
  ] as const)
    for (const text of ['', 'short', 'x'.repeat(64)])
      t.match(
        run(`decrypt!("${text}", "${name}", key: "${key}", iv: "${'i'.repeat(iv)}")`),
        'Invalid input',
        `${name} ${text.length}`
      )
})

t.test('an unknown cipher is refused when it is known, and fails otherwise', async t => {
  t.match(run('encrypt!("a", "ROT13", "k", "i")'), 'error[E403]')
  t.match(run('encrypt!("a", "AES-192-SIV", "k", "i")'), 'error[E403]')
  t.match(run('encrypt!("a", string!(.a), "k", "i")', '{"a":"rot13"}'), 'Invalid algorithm: ROT13')
  t.match(run('decrypt!("a", string!(.a), "k", "i")', '{"a":"constructor"}'), 'Invalid algorithm')
})

t.test('counters run over 64 bits only', async t => {
  const counting = (iv: string) =>
    run(
      `encode_base16(encrypt!("${'a'.repeat(32)}", "AES-128-CTR-BE", key: "0123456789abcdef", iv: decode_base16!("${iv}")))`
    )
  const block = (iv: string) =>
    run(
      `encode_base16(encrypt!("${'a'.repeat(16)}", "AES-128-CTR-BE", key: "0123456789abcdef", iv: decode_base16!("${iv}")))`
    )
  const whole = counting('00000000000000aaffffffffffffffff')
  t.equal(`"${whole.slice(33, 65)}"`, block('00000000000000aa0000000000000000'))
})

t.test('the algorithm of an HMAC decides whether it can fail', async t => {
  t.equal(run('encode_base16(hmac("weir", "key", "sha1"))'), '"4d9479483fb2b204f105452fafab06b6028b74af"')
  t.equal(run('length(hmac("weir", "key"))'), '32')
  t.match(run('hmac("weir", "key", "MD5")'), 'error[E100]')
  t.match(run('hmac!("weir", "key", "MD5")'), 'Invalid algorithm: MD5')
})

t.test('hashes are of bytes', async t => {
  t.equal(run('md5("")'), '"d41d8cd98f00b204e9800998ecf8427e"')
  t.equal(run('sha1(decode_base16!("ff")) == sha1("ÿ")'), 'false')
  t.equal(run('length(sha2("a")) + length(sha3("a"))'), String(64 + 128))
  t.match(run('sha2("a", variant: "SHA-1")'), 'error[E401]')
  t.match(run('sha2("a", variant: .v)'), 'error[E402]')
})
