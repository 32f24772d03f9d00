// Made by vite.config.ts from what the pipelines say of themselves.
declare module 'virtual:processors' {
  interface Processor {
    readonly kind: string
    readonly summary?: string
    readonly options?: readonly {
      readonly name: string
      readonly type: string
      readonly default?: string
      readonly text: string
    }[]
    readonly example?: { readonly yaml: string }
  }
  const processors: readonly Processor[]
  export default processors
}
