import type { KindController } from '@agents/controller'
import { agentController } from './agent/agent-controller.ts'
import { agentProviderController } from './agent-provider/agent-provider-controller.ts'
import { agentRunController } from './agent-run/agent-run-controller.ts'
import { implementationSourceController } from './implementation-source/implementation-source-controller.ts'
import { implementationSpecController } from './implementation-spec/implementation-spec-controller.ts'
import { memoryController } from './memory/memory-controller.ts'
import type { AgentsPorts } from './ports.ts'
import { versionControlProviderController } from './version-control-provider/version-control-provider-controller.ts'

/** The controllers of all kinds in the agents API group. */
export function agentsController(ports: AgentsPorts): KindController[] {
  return [
    agentController(ports),
    agentProviderController(ports),
    implementationSpecController(ports),
    implementationSourceController(ports),
    versionControlProviderController(ports),
    memoryController(ports),
    agentRunController(ports),
  ] as unknown as KindController[]
}
