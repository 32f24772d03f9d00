// Names in a statement that mean something to the code that reads it.
import t from 'tap'
import { startSql } from './fixtures.ts'

t.test('words that every object of JavaScript has as members are words like any other', async t => {
  const { ask } = await startSql(t)
  await ask('CREATE TABLE members (host STRING PRIMARY KEY, at TIMESTAMP(3) TIME INDEX, n BIGINT)')
  await ask("INSERT INTO members VALUES ('a', 1, 2)")
  for (const word of ['constructor', 'valueOf', 'hasOwnProperty']) {
    const cast = await ask(`SELECT 1 FROM members WHERE host::${word} = at`)
    t.equal(cast.status, 400, cast.text)
    t.match(cast.body.error, new RegExp(`there is no type ${word}`, 'i'))
    const copied = await ask(`COPY members TO 'members-${word}.csv' WITH (${word} = 'x')`)
    t.equal(copied.status, 400, copied.text)
    t.match(copied.body.error, `COPY: unknown option ${word.toLowerCase()}, expected one of format`)
    const called = await ask(`SELECT ${word}(n) FROM members`)
    t.match(called.body.error, new RegExp(`${word}`, 'i'))
    t.equal(called.status, 400, called.text)
    for (const statement of [
      `ADMIN ${word}('x')`,
      `SHOW ${word}`,
      `SHOW VARIABLES ${word}`,
      `SET ${word} = 1`,
      `${word} x`
    ])
      t.equal((await ask(statement)).status, 400, statement)
    t.equal((await ask(`SELECT * FROM information_schema.${word}`)).status, 400, word)
  }
})

t.test('a column called Natural makes no natural join', async t => {
  const { ask } = await startSql(t)
  await ask('CREATE TABLE one ("Natural" STRING PRIMARY KEY, at TIMESTAMP(3) TIME INDEX, shared TIMESTAMP(3))')
  await ask('CREATE TABLE two ("Natural" STRING PRIMARY KEY, at TIMESTAMP(3) TIME INDEX, shared STRING)')
  await ask("INSERT INTO one VALUES ('a', 1, 7)")
  await ask("INSERT INTO two VALUES ('a', 2, 'x')")
  for (const condition of ['USING ("Natural")', 'ON one."Natural" = two."Natural"']) {
    const found = await ask(`SELECT one.at, two.at, two.shared FROM one JOIN two ${condition}`)
    t.strictSame(found.rows, [[1, 2, 'x']], found.text)
  }
})
