import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import t from 'tap'
import { makeCrc } from '../../../../../plugins/vrl/language/functions/checksum/crc.ts'
import { crcParameters } from '../../../../../plugins/vrl/language/functions/checksum/crc-table.ts'
import { seahash } from '../../../../../plugins/vrl/language/functions/checksum/seahash.ts'
import { xxh3, xxh3Wide } from '../../../../../plugins/vrl/language/functions/checksum/xxh3.ts'
import { xxh32, xxh64 } from '../../../../../plugins/vrl/language/functions/checksum/xxhash.ts'
import { run } from './run.ts'

const none = () => undefined
const texts = [...Array(300).keys(), 1023, 1024, 1025, 1088, 1089, 2049, 5000].map(length =>
  Buffer.from(Array.from({ length }, (_, i) => (i * i * 31 + i * 7 + length) & 255))
)

/** One value for what a function makes of texts of all lengths; the expected ones are of other implementations. */
function digest(hash: (bytes: Buffer) => bigint | undefined): string {
  return createHash('sha256')
    .update(texts.map(text => String(hash(text))).join())
    .digest('hex')
    .slice(0, 16)
}

t.test('checks are those of the catalogue', async t => {
  const check = (name: string) => makeCrc(name)!(Buffer.from('123456789'), none).toString(16)
  for (const [name, expected] of Object.entries({
    CRC_3_ROHC: '6',
    CRC_5_USB: '19',
    CRC_8_SMBUS: 'f4',
    CRC_12_UMTS: 'daf',
    CRC_16_MODBUS: '4b37',
    CRC_24_OPENPGP: '21cf02',
    CRC_32_ISCSI: 'e3069283',
    CRC_40_GSM: 'd4164fc646',
    CRC_64_XZ: '995dc9bbdf1939fa',
    CRC_82_DARC: '9ea83f625023801fd612'
  }))
    t.equal(check(name), expected, name)
  t.equal(
    createHash('sha256').update(Object.keys(crcParameters).map(check).join()).digest('hex').slice(0, 16),
    '892015b002615918'
  )
})

t.test('the common check is that of zip files', async t => {
  const crc = makeCrc('CRC_32_ISO_HDLC')!
  for (const text of texts) t.equal(crc(text, none), BigInt(crc32(text)))
})

t.test('fast hashes are right for all lengths', async t => {
  t.equal(
    digest(text => xxh32(text, none)),
    'de3292472aea52f8'
  )
  t.equal(
    digest(text => xxh64(text, none)),
    '0d0992880b119acf'
  )
  t.equal(
    digest(text => xxh3(text, none)),
    'd9369a42d12d344a'
  )
  t.equal(
    digest(text => xxh3Wide(text, none)),
    '8348639e59c33d80'
  )
  t.equal(
    digest(text => seahash(text, none)),
    '87e1c7e40fe93283'
  )
})

t.test('a name that is known decides whether a call can fail, and of what kind it is', async t => {
  t.match(run('crc("a", "CRC_99")'), 'error[E100]')
  t.match(run('crc!("a", string!(.n))', '{"n":"toString"}'), 'Invalid CRC algorithm: toString')
  t.equal(run('crc("a", "crc_8_smbus")'), '"32"')
  t.match(run('xxhash("a", "XXH99")'), 'error[E100]')
  t.match(run('xxhash!("a", "XXH99")'), "Variant must be either 'XXH32'")
  t.equal(run('.n = xxhash("a", "XXH64") + 1\nupcase(xxhash("a", "XXH3-128")) != ""'), 'true')
})

t.test('hashes of long texts end with the time of the run', async t => {
  const event = JSON.stringify({ s: 'a'.repeat(8_000_000) })
  t.match(run('crc(string!(.s), "CRC_82_DARC")', event, { time: 50 }), 'ran longer than 50 ms')
})
