import { type AgentRun, agentRun } from '@agents/jangar-api'
import { type KindRef, kindRef } from '@agents/kube'

export const AgentRunKind: KindRef<AgentRun> = kindRef<AgentRun>(agentRun)
