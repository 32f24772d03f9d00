// A module that makes something else than a processor.
export default () => ({ kind: 'none' })
