import { definePlugin, Type } from 'weir-server'

declare module 'weir-server' {
  interface ServiceMap {
    directory: { lookup(key: string): string | undefined }
  }
}

export default definePlugin({
  name: 'directory',
  prefix: '',
  servers: [],
  config: Type.Object({ names: Type.Record(Type.String(), Type.String(), { default: {} }) }),
  // What returns something else than the service map says is an error of the compiler.
  setup: (_core, { names }) => ({ lookup: key => names[key] })
})
