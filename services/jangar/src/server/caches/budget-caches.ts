import { resourceCache } from '@agents/controller'
import {
  type Agent,
  type AgentRun,
  agent,
  agentRun,
  type Budget,
  budget,
  type Tool,
  type ToolRun,
  tool,
  toolRun,
} from '@agents/jangar-api'
import { type Informers, kindRef } from '@agents/kube'
import type { BudgetCaches } from '../budgets/budget-book.ts'
import { coreCaches } from './core-caches.ts'

/** The Budgets and all runs that count against them. */
export function budgetCaches(informers: Informers, namespaces: readonly string[]): BudgetCaches {
  return {
    budgets: resourceCache(informers, kindRef<Budget>(budget), namespaces),
    agentRuns: resourceCache(informers, kindRef<AgentRun>(agentRun), namespaces),
    toolRuns: resourceCache(informers, kindRef<ToolRun>(toolRun), namespaces),
    agents: resourceCache(informers, kindRef<Agent>(agent), namespaces),
    tools: resourceCache(informers, kindRef<Tool>(tool), namespaces),
    jobs: coreCaches(informers, namespaces).jobs,
  }
}
