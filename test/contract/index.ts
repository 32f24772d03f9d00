// What `weir-server/testing` exports: contracts for plugins and storage drivers, and a server to test them in.
export type { EngineContract, EngineTest } from './engine.ts'
export { engineContract } from './engine.ts'
export type { ContractListener } from './listener.ts'
export type { ContractRequest, ContractTest, NodeTest, PluginContract } from './plugin.ts'
export { pluginContract } from './plugin.ts'
export type { AnyPlugin, BootOptions, TestServer } from './server.ts'
export { bootServer } from './server.ts'
