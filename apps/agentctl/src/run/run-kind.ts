import type { AgentRun } from '@agents/jangar-api'
import { type KindRef, kindRef } from '@agents/kube'
import { platformKind } from '../cluster/known-kinds.ts'

export const AgentRunKind: KindRef<AgentRun> = kindRef<AgentRun>(platformKind('AgentRun'))
