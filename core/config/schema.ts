// placeholder: replaced by the configuration schema
export type Config = Readonly<Record<string, unknown>>
