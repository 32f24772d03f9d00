// Queries in the search syntax of Datadog logs.
import t from 'tap'
import { run } from './run.ts'

const event =
  '{"message":"Disk is full, 3 of 4","host":"web-1","service":"api","level":5,"name":"foo bar","a":{"b":[1,"x"],"t":true},"n":null,"tags":["env:prod","size:12","urgent","b:y"]}'

const match = (query: string) => run(`match_datadog_query(., ${JSON.stringify(query)})`, event)

t.test('queries that fit', async t => {
  for (const query of [
    '',
    '*',
    '*:*',
    'full',
    '"is full"',
    'ful*',
    'D?sk',
    'Disk full',
    'Disk AND full',
    'Disk && full',
    'tape OR full',
    'tape || full',
    'NOT tape',
    '-tape',
    '!tape +full',
    'tape OR tape full OR full',
    '(tape OR full) AND -(tape OR paper)',
    'host:web-1',
    'host:web-*',
    'host:(web-2 OR web-1)',
    'service:"api"',
    '@level:5',
    '@level:>4',
    '@level:>=5',
    '@level:<10',
    '@level:[5 TO 6]',
    '@level:{4 TO *}',
    '@name:"foo bar"',
    '@name:foo\\ bar',
    '@name:foo*',
    '@a.b:x',
    '@a.b:1',
    '@a.t:true',
    '_exists_:@a.b',
    '_exists_:@n',
    '_exists_:env',
    '_exists_:urgent',
    '_exists_:host',
    '_missing_:@x',
    '_missing_:team',
    '@a.b:*',
    'env:prod',
    'env:pr*',
    'size:>9',
    'b:["x" TO "z"]',
    'tags:urgent',
    'tags:"env:prod"'
  ])
    t.equal(match(query), 'true', query)
})

t.test('queries that do not', async t => {
  for (const query of [
    'disk',
    'ful',
    'tape',
    'Disk tape',
    'NOT full',
    '-Disk OR -full',
    'host:web',
    'Host:web-1',
    '@level:>5',
    '@level:{5 TO 6}',
    '@level:"05"',
    '@name:foo',
    '@name:foo\\*',
    '_exists_:@x',
    '_missing_:env',
    'env:Prod',
    'urgent:yes',
    '@tags:x'
  ])
    t.equal(match(query), 'false', query)
})

t.test('queries that are none', async t => {
  for (const query of [
    '@a%:1',
    '(a',
    'a)',
    'a AND',
    '"a',
    'a:',
    'a:[1 TO',
    'a:[1 2]',
    'a*:b',
    '_exists_:a*',
    'a\\',
    'a:>*b',
    ':x',
    '('.repeat(5000)
  ])
    t.match(match(query), /error\[E403\] invalid argument/, query.slice(0, 20))
  t.match(run('match_datadog_query(., .query)'), /error\[E402\]/)
})
