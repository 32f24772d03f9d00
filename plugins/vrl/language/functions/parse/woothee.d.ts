// Declarations for the parts of a library without types that we use.
declare module 'woothee' {
  interface Agent {
    readonly name?: string
    readonly version?: string
    readonly os?: string
    readonly os_version?: string
    readonly category?: string
  }
  const woothee: { parse(userAgent: string): Agent }
  export default woothee
}
