// Regular expressions find the same rows with and without a search for the text they require.
import t from 'tap'
import { startSql } from './fixtures.ts'

const texts = [
  'payment 7 was refused',
  'Payment 8 WAS refused',
  'refused',
  'x was refused y',
  '',
  "it's 1%",
  'žluť was refused'
]
const patterns = [
  'payment [0-9]+ was',
  'was refused',
  '^was',
  '(?i)was refused',
  'x|refused',
  '[Pp]ayment',
  ' was refused$',
  "it's",
  'žluť',
  ''
]
/** Expressions that cannot stand in the text of a statement. */
const given = ['a\0b', 'a\0.*b']

t.test('expressions', async t => {
  const { ask } = await startSql(t)
  await ask('CREATE TABLE lines (host STRING PRIMARY KEY, at TIMESTAMP(3) TIME INDEX, message STRING)')
  await ask("CREATE TABLE kept (at TIMESTAMP(3) TIME INDEX, message STRING) WITH (append_mode = 'true')")
  const quoted = texts.map(text => `'${text.replaceAll("'", "''")}'`)
  const rows = (first: number) => quoted.map((text, i) => `(${first + i}, ${text})`).join(', ')
  await ask(`INSERT INTO kept VALUES ${rows(1)}, (90, NULL)`)
  await ask(`INSERT INTO lines SELECT 'a', at, message FROM kept`)
  await ask("ADMIN flush_table('lines')")
  await ask("ADMIN flush_table('kept')")
  // Newer versions without the text hide those with it.
  await ask("INSERT INTO lines VALUES ('a', 1, 'nothing'), ('a', 4, NULL)")
  await ask(`INSERT INTO kept VALUES ${rows(50)}`)
  await ask("ALTER TABLE kept ADD COLUMN more STRING DEFAULT 'x was refused y'")
  for (const pattern of patterns) {
    const constant = `'${pattern.replaceAll("'", "''")}'`
    for (const [table, column] of [
      ['lines', 'message'],
      ['kept', 'message'],
      ['kept', 'more']
    ] as const) {
      for (const write of [
        (text: string) => `regexp_matches(${text}, ${constant})`,
        (text: string) => `regexp_full_match(${text}, ${constant})`,
        (text: string) => `${text} ~ ${constant}`,
        (text: string) => `${text} ~* ${constant}`,
        (text: string) => `${text} !~ ${constant}`
      ]) {
        const found = await ask(`SELECT at FROM ${table} WHERE ${write(column)} ORDER BY at`)
        // An expression is not a column: nothing is known of it.
        const plain = await ask(`SELECT at FROM ${table} WHERE ${write(`(${column} || '')`)} ORDER BY at`)
        t.equal(found.status, 200)
        t.strictSame(found.rows, plain.rows, `${write(column)} in ${table}`)
      }
    }
  }
  const held = ['a\0b', 'ab', '\0']
  for (const text of held)
    await ask(`INSERT INTO kept (at, message) VALUES (200, $1)`, { params: JSON.stringify([text]) })
  for (const pattern of given) {
    const { rows: found } = await ask('SELECT message FROM kept WHERE regexp_matches(message, $1)', {
      params: JSON.stringify([pattern])
    })
    t.strictSame(found, [['a\0b']], JSON.stringify(pattern))
  }
})
