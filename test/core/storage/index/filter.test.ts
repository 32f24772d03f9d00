import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { blocksFor, blockWords, filterOf, mayHold } from '../../../../core/storage/embedded/index/bloom.ts'
import { foldTerm, foldText } from '../../../../core/storage/embedded/index/fold.ts'
import { decodeHead, encodeIndex } from '../../../../core/storage/embedded/index/format.ts'
import { HashSet } from '../../../../core/storage/embedded/index/hash-set.ts'
import { readHead, readSection, writeSidecar } from '../../../../core/storage/embedded/index/sidecar.ts'
import { addFoldedTokens, addTermTokens, addTokens } from '../../../../core/storage/embedded/index/token.ts'
import { temporaryFolder } from '../fixtures.ts'

type Hash = readonly [number, number]

function tokens(text: string, add: typeof addTokens = addTokens): Hash[] {
  const found: Hash[] = []
  add(Buffer.from(text), { add: (low, high) => found.push([low, high]) })
  return found
}

function hashSetOf(text: string): HashSet {
  const entries = new HashSet()
  addTokens(Buffer.from(text), entries)
  return entries
}

t.test('a filter holds what was added, and little else', async t => {
  const words = ['a', 'the', 'connection', 'x1', '0'.repeat(300)]
  const filter = filterOf(hashSetOf(words.join(' ')), 0.01)
  const blocks = filter.length / blockWords
  for (const word of words) for (const [low, high] of tokens(word)) t.ok(mayHold(filter, 0, blocks, low, high), word)
  const count = 20_000
  const many = Array.from({ length: count }, (_, i) => `entry${i}`).join('\n')
  for (const rate of [0.1, 0.01, 0.001]) {
    const large = filterOf(hashSetOf(many), rate)
    const others = tokens(Array.from({ length: count }, (_, i) => `other${i}`).join(' '))
    const hits = others.filter(([low, high]) => mayHold(large, 0, large.length / blockWords, low, high))
    t.ok(hits.length < count * rate * 1.5, `${hits.length} of ${count} at ${rate}`)
  }
})

t.test('an empty filter holds nothing', async t => {
  t.equal(blocksFor(0, 0.01), 0)
  t.notOk(mayHold(new Uint32Array(0), 0, 0, 1, 2))
})

t.test('a set of hashes keeps each once, the one of zeros as well', async t => {
  const set = new HashSet()
  for (let round = 0; round < 2; round++) for (let i = 0; i < 10_000; i++) set.add(i, i % 7 === 0 ? 0 : i * 3)
  t.equal(set.size, 10_000)
  const seen = new Set<string>()
  set.each((low, high) => seen.add(`${low} ${high}`))
  t.equal(seen.size, 10_000)
  t.ok(seen.has('0 0'))
  set.clear()
  t.equal(set.size, 0)
})

t.test('tokens are runs of letters and digits, and characters outside of ASCII', async t => {
  t.equal(tokens('GET /cart/items?id=7, 200').length, 6)
  t.same(tokens('a-b'), tokens('a b'))
  t.not(String(tokens('ab')), String(tokens('ba')))
  t.equal(tokens('日本').length, 3, 'each character and the pair')
  t.equal(tokens('日本', addTermTokens).length, 1, 'of a term the pair is enough')
  t.equal(tokens('日', addTermTokens).length, 1)
  t.equal(tokens('--- ,').length, 0)
})

t.test('wherever a term stands in a text, the tokens of the term are tokens of the text', async () => {
  const part = fc.string({ unit: fc.constantFrom(...'ab1_ -é日本語ß'), maxLength: 6 })
  const isWord = (char: string | undefined) => char !== undefined && /[0-9A-Za-z]/.test(char)
  fc.assert(
    fc.property(part, part, part, (before, term, after) => {
      fc.pre(!(isWord(before.at(-1)) && isWord(term[0])) && !(isWord(term.at(-1)) && isWord(after[0])))
      const text = new Set(tokens(before + term + after).map(String))
      return tokens(term, addTermTokens).every(hash => text.has(String(hash)))
    }),
    { numRuns: 2000 }
  )
})

t.test('tokens in lower case are those of the text in lower case, also of a part of it', async () => {
  const part = fc.string({ unit: fc.constantFrom(...'aBZ1_ -éÉ日ßİ'), maxLength: 8 })
  fc.assert(
    fc.property(part, part, part, (before, text, after) => {
      const [from, length] = [Buffer.byteLength(before), Buffer.byteLength(text)]
      const found: string[] = []
      const sink = { add: (low: number, high: number) => found.push(String([low, high])) }
      addFoldedTokens(Buffer.from(before + text + after), sink, from, from + length)
      const folded = tokens(Buffer.from(foldText(Buffer.from(text))).toString()).map(String)
      return found.join() === folded.join()
    }),
    { numRuns: 2000 }
  )
})

t.test('terms are folded as far as their lower case is beyond doubt', async t => {
  t.equal(foldTerm('Error-42'), 'error-42')
  t.equal(foldTerm('ÄRGER Ж 日本'), 'ärger ж 日本')
  t.equal(foldTerm('İ'), undefined)
  t.equal(foldTerm('\u212a'), undefined, 'the sign for Kelvin')
})

t.test('an index sidecar gives back what was written, and says when it was changed', async t => {
  const path = join(temporaryFolder(t), 'rows.parquet.idx')
  const filters = [Uint32Array.from({ length: 16 }, (_, i) => i), undefined, new Uint32Array(0)]
  const section = { column: 3, kind: 'terms', falsePositiveRate: 0.01, filters } as const
  const bytes = await writeSidecar(path, { checksum: 7, bytes: 9 }, [section, { ...section, column: 4 }])
  const found = await readHead(path)
  t.match(found?.head, { data: { checksum: 7, bytes: 9 }, sections: [{ blocks: [2, -1, 0] }, { column: 4 }] })
  t.same(await readSection(path, found!.start, found!.head.sections[1]!), filters[0])
  const whole = Buffer.concat(encodeIndex({ checksum: 7, bytes: 9 }, [section, { ...section, column: 4 }]))
  t.equal(whole.length, bytes)
  let missed = 0
  for (let at = 0; at < whole.length; at++) {
    const changed = Buffer.from(whole)
    changed[at]! ^= 4
    const head = decodeHead(changed)
    if (at < found!.start) missed += head === undefined ? 0 : 1
    else if (at % 16 === 0) {
      writeFileSync(path, changed)
      const which = at < found!.start + 64 ? 0 : 1
      t.equal(await readSection(path, found!.start, head!.sections[which]!), undefined, `section, byte ${at}`)
    }
  }
  t.equal(missed, 0, 'every bit of the head counts')
  writeFileSync(path, whole.subarray(0, whole.length - 1))
  t.equal(await readSection(path, found!.start, found!.head.sections[1]!), undefined, 'cut short')
  t.equal(await readHead(`${path}.none`), undefined)
})
