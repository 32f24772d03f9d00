// A plugin that gives a test access to the pipelines service.
import { Type } from 'typebox'
import { definePlugin } from '../../../core/index.ts'
import type { PipelinesService } from '../../../plugins/services.ts'

export function pipelinesProbe() {
  let service: PipelinesService | undefined
  const plugin = definePlugin({
    name: 'probe',
    prefix: '/v1/probe',
    servers: ['main'],
    config: Type.Object({}),
    needs: ['pipelines'],
    setup: (_core, _config, { pipelines }) => {
      service = pipelines
    }
  })
  return { plugin, service: () => service! }
}
