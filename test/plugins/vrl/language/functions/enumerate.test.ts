// Edge cases of the functions on arrays and objects.
import t from 'tap'
import { run as result } from './run.ts'

t.test('compact leaves out what became empty', async t => {
  t.equal(result('compact({"a": {"b": {"c": null}}, "d": [[""], [1]]})'), '{"d":[[1]]}')
  t.equal(result('compact([null, "", {}, [], 0, false])'), '[0,false]')
  t.equal(result('compact([null, "", {}, []], null: false)'), '[null]')
  t.equal(result('compact([null, "", {}, []], string: false, object: false, array: false)'), '["",{},[]]')
  t.equal(result('compact(["-", " \\t", "x"], string: false, nullish: true)'), '["x"]')
  t.equal(result('compact(["-", " "])'), '["-"," "]')
  t.match(result('compact("x")'), /error\[E110\]/)
})

t.test('flat and back', async t => {
  t.equal(result('flatten({"a": {}, "b": {"c": {}}, "d": []})'), '{"d":[]}')
  t.equal(result('flatten({"a": [{"b": 1}]})'), '{"a":[{"b":1}]}')
  t.equal(
    result('flatten({"x": {"keep": {"a": 1}}, "keep": {"b": 2}}, except: ["keep"])'),
    '{"keep":{"b":2},"x.keep":{"a":1}}'
  )
  t.match(result('flatten({}, except: [1])'), /error\[E403\]/)
  t.equal(result('flatten([])'), '[]')
  t.equal(result('unflatten({"a": 1, "a.b": 2})'), '{"a":{"b":2}}')
  t.equal(result('unflatten({"a.b": 1, "a.b.c": 2, "a.d": {"e.f": 3}})'), '{"a":{"b":{"c":2},"d":{"e":{"f":3}}}}')
  t.equal(result('unflatten({"a": [{"b.c": 1}]})'), '{"a":[{"b.c":1}]}')
  t.equal(result('unflatten({"a..b": 1, ".": 2})'), '{"":{"":2},"a":{"":{"b":1}}}')
  t.equal(result('unflatten({"a.b": 1}, separator: "")'), '{"a.b":1}')
  t.equal(result('unflatten({"a__b.c": 1}, "__")'), '{"a":{"b.c":1}}')
})

t.test('a key with very many parts is an error at most', async t => {
  t.match(
    result('unflatten({"k": 1}); k = "." * 50000; x = unflatten!(set!({}, [k], 1)); type_def(x); 1'),
    /^1$|nested too deep/
  )
})

t.test('equal in kind and value', async t => {
  t.equal(
    result(
      'unique([1, 1.0, "1", null, null, true, [1], [1.0], {"a": 1, "b": 2}, {"b": 2, "a": 1}, t\'2020-01-01T00:00:00Z\', "2020-01-01T00:00:00Z", "[1]"])'
    ),
    '[1,1.0,"1",null,true,[1],[1.0],{"a":1,"b":2},"2020-01-01T00:00:00Z","2020-01-01T00:00:00Z","[1]"]'
  )
  t.equal(
    result('unique([[["a"], "b"], [["a", "b"]], ["[\\"a\\"]", "b"]])'),
    '[[["a"],"b"],[["a","b"]],["[\\"a\\"]","b"]]'
  )
  t.equal(result('includes([{"a": [1]}], {"a": [1]})'), 'true')
  t.equal(result('tally_value([1, 1.0, true, 1], 1)'), '2')
  t.equal(result('match_array([1, "a"], r\'a\', all: true)'), 'false')
  t.equal(result("match_array([], r'a', all: true)"), 'true')
  t.equal(result("match_array([], r'a')"), 'false')
})

t.test('zip ends with the shortest', async t => {
  t.equal(result('zip([[1, 2], [3]])'), '[[1,3]]')
  t.equal(result('zip([])'), '[]')
  t.equal(result('zip([1], [])'), '[]')
  t.match(result('zip([[1], .x])'), /expected array, got null/)
})

t.test('entries', async t => {
  t.equal(result('from_entries(to_entries({"a": 1, "b": null}))'), '{"a":1,"b":null}')
  t.equal(
    result('from_entries([{"Key": "a", "Value": 1}, {"Name": "b"}, {"key": "a", "value": 2}])'),
    '{"a":2,"b":null}'
  )
  t.match(result('from_entries([1])'), /an entry must be an object, got integer/)
  t.match(result('from_entries([{"value": 1}])'), /an entry has no key/)
  t.match(result('from_entries([{"key": 1}])'), /a key must be a string, got integer/)
  t.equal(result('object_from_array([1, 2, 3], ["a", null])'), '{"a":1}')
  t.match(result('object_from_array([[]])'), /array value too short/)
  t.match(result('object_from_array([1])'), /expected array, got integer/)
  t.equal(result('to_entries({})'), '[]')
})

t.test('values that share their parts end at a limit', async t => {
  const doubling = `x = [1]; for_each(chunks("${'.'.repeat(40)}", 1)) -> |_i, _v| { x = [x, x] };`
  const limits = { time: 50, output: 10_000 }
  for (const call of ['unique([x, [x]])', 'compact(x)', 'flatten(x)', "redact(x, [r'a'])"])
    t.match(result(`${doubling} ${call}`, '{}', limits), /longer than|too large/, call)
})
