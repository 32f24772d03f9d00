// A module whose factory returns something other than a processor.
export default () => ({ kind: 'none' })
