// Tests whose length can be chosen: short in `npm test`, longer in `npm run test:long`.

/** Whether this is the longer run. */
export const isLong = process.env['WEIR_TEST_LONG'] === '1'
