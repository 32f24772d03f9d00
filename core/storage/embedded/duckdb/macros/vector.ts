// Vector functions under the names of GreptimeDB: lists of 32-bit floats, or texts such as '[1.0, 2.0]'.
import type { Macros } from './index.ts'

const vector = (x: string) => `CAST(${x} AS FLOAT[])`

/** Applies an operator to each element; vectors of different lengths are an error. */
function each(operator: string): string {
  const [one, other] = [vector('a'), vector('b')]
  return `CASE WHEN len(${one}) <> len(${other}) THEN error('vectors of ' || len(${one}) || ' and ' || len(${other}) || ' elements')
    ELSE list_transform(${one}, lambda v, i: v ${operator} ${other}[i]) END`
}

export const vectorMacros: Macros = {
  'parse_vec(x)': vector('x'),
  'vec_to_string(a)': `replace(CAST(${vector('a')} AS VARCHAR), ' ', '')`,
  'vec_dim(a)': `len(${vector('a')})`,
  'vec_kth_elem(a, k)': `${vector('a')}[CAST(k AS BIGINT) + 1]`,
  'vec_cos_distance(a, b)': `list_cosine_distance(${vector('a')}, ${vector('b')})`,
  'vec_l2sq_distance(a, b)': `CAST(pow(list_distance(${vector('a')}, ${vector('b')}), 2) AS FLOAT)`,
  'vec_dot_product(a, b)': `list_dot_product(${vector('a')}, ${vector('b')})`,
  'vec_norm(a)': `list_transform(${vector('a')}, lambda v: CAST(v / sqrt(list_dot_product(${vector('a')}, ${vector('a')})) AS FLOAT))`,
  'vec_elem_sum(a)': `CAST(list_sum(${vector('a')}) AS FLOAT)`,
  'vec_elem_product(a)': `CAST(list_product(${vector('a')}) AS FLOAT)`,
  'vec_scalar_add(x, a)': `list_transform(${vector('a')}, lambda v: CAST(v + x AS FLOAT))`,
  'vec_scalar_mul(x, a)': `list_transform(${vector('a')}, lambda v: CAST(v * x AS FLOAT))`,
  'vec_add(a, b)': each('+'),
  'vec_sub(a, b)': each('-'),
  'vec_mul(a, b)': each('*'),
  'vec_div(a, b)': each('/')
}
